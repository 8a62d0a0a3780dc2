/* The bare exchanges: the system calls of a round trip, and nothing else. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

#include "bench.h"
#include "saltus_posix.h"

static void fail(const char *what) {
    perror(what);
    exit(EXIT_FAILURE);
}

static struct sockaddr_in address_of(const char *place, const char *port) {
    struct sockaddr_in address = {0};
    address.sin_family = AF_INET;
    address.sin_port = htons((uint16_t)strtoul(port, NULL, 10));
    if (inet_pton(AF_INET, place, &address.sin_addr) != 1) {
        fail("address");
    }
    return address;
}

static int open_ping(const char *transport, const char *place, const char *port) {
    if (strcmp(transport, "serial") == 0) {
        saltus_posix_t serial;
        saltus_posix_serial_init(&serial, place, port);
        if (!serial.transport.open(&serial.transport)) {
            fail(place);
        }
        (void)fcntl(serial.fd, F_SETFL, 0);
        return serial.fd;
    }
    const bool is_tcp = strcmp(transport, "tcp") == 0;
    const struct sockaddr_in address = address_of(place, port);
    const int yes = 1;
    const int fd = socket(AF_INET, is_tcp ? SOCK_STREAM : SOCK_DGRAM, 0);
    if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0) {
        fail("connect");
    }
    if (is_tcp) {
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    }
    return fd;
}

static void read_all(int fd, uint8_t *bytes, size_t size) {
    size_t done = 0U;
    while (done < size) {
        const ssize_t part = read(fd, &bytes[done], size - done);
        if (part <= 0) {
            fail("read");
        }
        done += (size_t)part;
    }
}

void run_ping(const char *transport, const char *place, const char *port, const options_t *options) {
    static uint8_t bytes[65536];
    const int fd = open_ping(transport, place, port);
    for (uint32_t i = 0U; i < (options->warmup + options->count); i++) {
        const int64_t sent = saltus_posix_now();
        if (write(fd, bytes, options->size) != (ssize_t)options->size) {
            fail("write");
        }
        read_all(fd, bytes, options->size);
        if (i >= options->warmup) {
            (void)printf("%lld\n", (long long)(saltus_posix_now() - sent));
        }
    }
    (void)printf("lost=0\n");
}

/* The other side of the line: a pseudo-terminal whose name is printed. */
static int open_terminal(void) {
    const int fd = posix_openpt(O_RDWR | O_NOCTTY);
    if ((fd < 0) || (grantpt(fd) != 0) || (unlockpt(fd) != 0)) {
        fail("a pseudo-terminal");
    }
    /* It stays open, so that the line does not hang up. */
    const int held = open(ptsname(fd), O_RDWR | O_NOCTTY);
    struct termios settings;
    if ((held < 0) || (tcgetattr(held, &settings) != 0)) {
        fail("the other end");
    }
    cfmakeraw(&settings);
    (void)tcsetattr(held, TCSANOW, &settings);
    (void)printf("terminal=%s\n", ptsname(fd));
    return fd;
}

static int open_pong(const char *transport, const char *place, const char *port, struct sockaddr_in *peer) {
    const struct sockaddr_in address = address_of(place, port);
    const int yes = 1;
    const bool is_tcp = strcmp(transport, "tcp") == 0;
    const int fd = socket(AF_INET, is_tcp ? SOCK_STREAM : SOCK_DGRAM, 0);
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) != 0) {
        fail("bind");
    }
    (void)puts("ready=1");
    (void)fflush(stdout);
    if (is_tcp) {
        (void)listen(fd, 1);
        const int accepted = accept(fd, NULL, NULL);
        (void)setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
        return accepted;
    }
    uint8_t byte;
    socklen_t size = sizeof(*peer);
    (void)recvfrom(fd, &byte, sizeof(byte), MSG_PEEK, (struct sockaddr *)peer, &size);
    (void)connect(fd, (const struct sockaddr *)peer, sizeof(*peer));
    return fd;
}

void run_pong(const char *transport, const char *place, const char *port, const options_t *options) {
    static uint8_t bytes[65536];
    struct sockaddr_in peer = {0};
    (void)options;
    int fd;
    if (strcmp(transport, "serial") == 0) {
        fd = open_terminal();
        (void)puts("ready=1");
        (void)fflush(stdout);
    } else {
        fd = open_pong(transport, place, port, &peer);
    }
    for (;;) {
        const ssize_t size = read(fd, bytes, sizeof(bytes));
        if ((size <= 0) || (write(fd, bytes, (size_t)size) != size)) {
            return;
        }
    }
}

/* Each frame of one member goes to the other one. */
void run_bus(const char *transport, const char *place, const char *port, const options_t *options) {
    struct sockaddr_un address = {0};
    struct pollfd members[2];
    uint8_t frame[128];
    (void)transport;
    (void)port;
    (void)options;
    address.sun_family = AF_UNIX;
    (void)strncpy(address.sun_path, place, sizeof(address.sun_path) - 1U);
    const int bus = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    if ((bind(bus, (const struct sockaddr *)&address, sizeof(address)) != 0) || (listen(bus, 2) != 0)) {
        fail("bus");
    }
    (void)puts("ready=1");
    (void)fflush(stdout);
    for (int i = 0; i < 2; i++) {
        members[i].fd = accept(bus, NULL, NULL);
        members[i].events = POLLIN;
    }
    while (poll(members, 2U, -1) > 0) {
        for (int i = 0; i < 2; i++) {
            const ssize_t size = (members[i].revents != 0) ? read(members[i].fd, frame, sizeof(frame)) : -1;
            if (size == 0) {
                return;
            }
            if (size > 0) {
                (void)send(members[1 - i].fd, frame, (size_t)size, MSG_NOSIGNAL);
            }
        }
    }
}
