/* UDP and TCP. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "posix_internal.h"
#include "saltus/session.h"

/* Connects a socket that does not block. Returns false if that fails or takes longer than a second. */
static bool finish_connecting(const saltus_posix_t *posix) {
    int error = 0;
    socklen_t size = sizeof(error);
    return sal_posix_wait(posix, POLLOUT, SALTUS_SECOND) &&
           (getsockopt(posix->fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0) && (error == 0);
}

static bool connect_to(saltus_posix_t *posix, const struct addrinfo *address) {
    posix->fd = socket(address->ai_family, address->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (posix->fd < 0) {
        return false;
    }
    if ((connect(posix->fd, address->ai_addr, address->ai_addrlen) == 0) ||
        ((errno == EINPROGRESS) && finish_connecting(posix))) {
        return true;
    }
    sal_posix_close(&posix->transport);
    return false;
}

static bool open_socket(saltus_posix_t *posix, int type) {
    struct addrinfo hints = {0};
    struct addrinfo *all = NULL;
    if (posix->fd >= 0) {
        return true;
    }
    hints.ai_socktype = type;
    if (getaddrinfo(posix->host, posix->port, &hints, &all) != 0) {
        return false;
    }
    bool is_connected = false;
    for (const struct addrinfo *one = all; (one != NULL) && !is_connected; one = one->ai_next) {
        is_connected = connect_to(posix, one);
    }
    freeaddrinfo(all);
    return is_connected;
}

static bool udp_open(saltus_transport_t *transport) {
    return open_socket((saltus_posix_t *)(void *)transport, SOCK_DGRAM);
}

static bool tcp_open(saltus_transport_t *transport) {
    saltus_posix_t *tcp = (saltus_posix_t *)(void *)transport;
    const int yes = 1;
    return open_socket(tcp, SOCK_STREAM) && (setsockopt(tcp->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes)) == 0);
}

void saltus_posix_udp_init(saltus_posix_t *udp, const char *host, const char *port) {
    sal_posix_init(udp, SALTUS_POSIX_UDP, host, port);
    udp->transport.open = udp_open;
}

void saltus_posix_tcp_init(saltus_posix_t *tcp, const char *host, const char *port) {
    sal_posix_line_init(tcp, SALTUS_POSIX_TCP, host, port);
    tcp->transport.open = tcp_open;
}
