/**
 * Transports: how messages reach the agent and come back.
 *
 * A transport is five functions and a buffer. The fifth, `push`, may be NULL. The ports have transports for UDP, TCP, serial lines and CAN-FD; an
 * application may bring its own. Lines that carry bytes and not messages, such as a UART, USB-CDC or TCP, are made into
 * transports by `saltus/framing.h`.
 */
#ifndef SALTUS_TRANSPORT_H
#define SALTUS_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A transport, or a line of bytes under one. The first field of a structure that has the state. */
typedef struct saltus_transport saltus_transport_t;

struct saltus_transport {
    /** Opens it. Returns false if that fails; the session tries again. May be called when it is open. */
    bool (*open)(saltus_transport_t *transport);
    /** Closes it. */
    void (*close)(saltus_transport_t *transport);
    /** Sends a message. Returns false if it is broken and must be opened again. A message may be lost on the way. */
    bool (*write)(saltus_transport_t *transport, const uint8_t *message, size_t size);
    /**
     * Waits for a message, at most `timeout` nanoseconds, and stores it. Returns its size, or 0 if there is none. A
     * line returns the bytes that are there, and at least one if it does not return 0. A transport that is not open waits,
     * too, and returns 0.
     */
    size_t (*read)(saltus_transport_t *transport, uint8_t *buffer, size_t capacity, int64_t timeout);
    /**
     * Sends what `write` has kept. It is called after the last part of each message, so that a line on a system with costly
     * calls may send a message at once. NULL for a line that keeps nothing. Transports of messages do not need it.
     */
    bool (*push)(saltus_transport_t *transport);
};

#ifdef __cplusplus
}
#endif

#endif
