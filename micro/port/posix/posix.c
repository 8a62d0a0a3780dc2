/* The clock, and what all descriptors have. */
#define _GNU_SOURCE
#include "posix_internal.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "saltus/session.h"

int64_t saltus_posix_now(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return ((int64_t)time.tv_sec * SALTUS_SECOND) + time.tv_nsec;
}

uint32_t saltus_posix_random(void) {
    uint32_t number = 0U;
    if (getrandom(&number, sizeof(number), 0U) != (ssize_t)sizeof(number)) {
        number = (uint32_t)saltus_posix_now();
    }
    return number;
}

void sal_posix_close(saltus_transport_t *transport) {
    saltus_posix_t *posix = (saltus_posix_t *)(void *)transport;
    if (posix->fd >= 0) {
        (void)close(posix->fd);
        posix->fd = -1;
    }
    posix->waiting = 0U;
    posix->taken = 0U;
    posix->filled = 0U;
}

bool sal_posix_wait(const saltus_posix_t *posix, short events, int64_t timeout) {
    const int64_t wait = (timeout > 0) ? timeout : 0;
    const struct timespec time = {(time_t)(wait / SALTUS_SECOND), (long)(wait % SALTUS_SECOND)};
    struct pollfd poll = {posix->fd, events, 0};
    return ppoll(&poll, (posix->fd >= 0) ? 1U : 0U, &time, NULL) > 0;
}

size_t sal_posix_read(saltus_transport_t *transport, uint8_t *buffer, size_t capacity, int64_t timeout) {
    const saltus_posix_t *posix = (const saltus_posix_t *)(const void *)transport;
    const int64_t begin = (posix->polls > 0) ? saltus_posix_now() : 0;
    const int64_t polls = (posix->polls < timeout) ? posix->polls : timeout;
    ssize_t size;
    if (posix->fd < 0) {
        (void)sal_posix_wait(posix, POLLIN, timeout);
        return 0U;
    }
    do {
        size = read(posix->fd, buffer, capacity);
    } while ((size <= 0) && (polls > 0) && ((saltus_posix_now() - begin) < polls));
    if ((size <= 0) && (timeout > 0) && sal_posix_wait(posix, POLLIN, timeout - polls)) {
        size = read(posix->fd, buffer, capacity);
    }
    if (((size == 0) && (posix->kind != SALTUS_POSIX_UDP)) ||
        ((size < 0) && (errno != EAGAIN) && (errno != EINTR) && (errno != ECONNREFUSED))) {
        /* The other side is gone, or the device is. */
        return sal_posix_broken(transport, timeout);
    }
    return (size > 0) ? (size_t)size : 0U;
}

size_t sal_posix_broken(saltus_transport_t *transport, int64_t timeout) {
    const int64_t pause = (timeout < SALTUS_MILLISECOND) ? timeout : SALTUS_MILLISECOND;
    sal_posix_close(transport);
    (void)sal_posix_wait((const saltus_posix_t *)(const void *)transport, POLLIN, pause);
    return 0U;
}

/* Writes bytes. A closed connection is an error of the call, and not a signal. */
static ssize_t write_some(const saltus_posix_t *posix, const uint8_t *bytes, size_t size) {
    if (posix->kind == SALTUS_POSIX_TCP) {
        return send(posix->fd, bytes, size, MSG_NOSIGNAL);
    }
    return write(posix->fd, bytes, size);
}

/* Writes all bytes. Returns false if the descriptor is broken, or takes none for a second. */
static bool write_all(const saltus_posix_t *posix, const uint8_t *bytes, size_t size) {
    size_t done = 0U;
    while (done < size) {
        const ssize_t part = (posix->fd >= 0) ? write_some(posix, &bytes[done], size - done) : -1;
        if (part > 0) {
            done += (size_t)part;
        } else if ((posix->fd < 0) || ((errno != EAGAIN) && (errno != EINTR)) ||
                   !sal_posix_wait(posix, POLLOUT, SALTUS_SECOND)) {
            return false;
        } else {
            /* There is room again. */
        }
    }
    return true;
}

static bool line_push(saltus_transport_t *transport) {
    saltus_posix_t *line = (saltus_posix_t *)(void *)transport;
    const size_t size = line->waiting;
    line->waiting = 0U;
    return write_all(line, line->out, size);
}

/* Keeps the bytes. If there is no room for them, writes those that wait, and the new ones if there is still none. */
static bool line_write(saltus_transport_t *transport, const uint8_t *bytes, size_t size) {
    saltus_posix_t *line = (saltus_posix_t *)(void *)transport;
    if ((size > (sizeof(line->out) - line->waiting)) && !line_push(transport)) {
        return false;
    }
    if (size > sizeof(line->out)) {
        return write_all(line, bytes, size);
    }
    (void)memcpy(&line->out[line->waiting], bytes, size);
    line->waiting += size;
    return line->fd >= 0;
}

static size_t line_read(saltus_transport_t *transport, uint8_t *buffer, size_t capacity, int64_t timeout) {
    saltus_posix_t *line = (saltus_posix_t *)(void *)transport;
    if (line->taken == line->filled) {
        line->taken = 0U;
        line->filled = 0U;
        line->filled = sal_posix_read(transport, line->in, sizeof(line->in), timeout);
    }
    const size_t rest = line->filled - line->taken;
    const size_t size = (rest < capacity) ? rest : capacity;
    (void)memcpy(buffer, &line->in[line->taken], size);
    line->taken += size;
    return size;
}

bool sal_posix_write_packet(saltus_transport_t *transport, const uint8_t *message, size_t size) {
    const saltus_posix_t *posix = (const saltus_posix_t *)(const void *)transport;
    const ssize_t written = (posix->fd >= 0) ? write(posix->fd, message, size) : -1;
    /* A packet that does not leave is a lost message. Only a descriptor that can't be used is an error. */
    return (written >= 0) || ((posix->fd >= 0) && (errno != EBADF) && (errno != ENOTCONN) && (errno != EPIPE) &&
                              (errno != ENETDOWN) && (errno != ENODEV));
}

void sal_posix_init(saltus_posix_t *posix, saltus_posix_kind_t kind, const char *host, const char *port) {
    const saltus_posix_t empty = {0};
    *posix = empty;
    posix->kind = kind;
    posix->fd = -1;
    posix->host = host;
    posix->port = port;
    posix->transport.close = sal_posix_close;
    posix->transport.read = sal_posix_read;
    posix->transport.write = sal_posix_write_packet;
}

void sal_posix_line_init(saltus_posix_t *posix, saltus_posix_kind_t kind, const char *host, const char *port) {
    sal_posix_init(posix, kind, host, port);
    posix->transport.read = line_read;
    posix->transport.write = line_write;
    posix->transport.push = line_push;
}
