/* The functions that the files of the port share. Their names begin with `sal_`, because they are private. */
#ifndef SALTUS_POSIX_INTERNAL_H
#define SALTUS_POSIX_INTERNAL_H

#include "saltus_posix.h"

/* Initializes a transport that is not open. It reads packets of a descriptor. */
void sal_posix_init(saltus_posix_t *posix, saltus_posix_kind_t kind, const char *host, const char *port);

/* Initializes a line that is not open. It reads and writes bytes of a descriptor, each message with one call. */
void sal_posix_line_init(saltus_posix_t *posix, saltus_posix_kind_t kind, const char *host, const char *port);

/* Closes the descriptor. */
void sal_posix_close(saltus_transport_t *transport);

/* Waits for events of `poll`. Returns whether there are any. */
bool sal_posix_wait(const saltus_posix_t *posix, short events, int64_t timeout);

/* Reads bytes, or waits for them. Returns their number, or 0 if there are none. */
size_t sal_posix_read(saltus_transport_t *transport, uint8_t *buffer, size_t capacity, int64_t timeout);

/* Closes a broken transport, so that the next write fails. Waits a moment, so that nobody polls, and returns 0. */
size_t sal_posix_broken(saltus_transport_t *transport, int64_t timeout);

/* Sends a packet. Returns false if the descriptor is broken. A packet may be lost. */
bool sal_posix_write_packet(saltus_transport_t *transport, const uint8_t *message, size_t size);

#endif
