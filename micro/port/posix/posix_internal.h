/* What the files of the port share. */
#ifndef SALTUS_POSIX_INTERNAL_H
#define SALTUS_POSIX_INTERNAL_H

#include "saltus_posix.h"

void saltus_posix_init(saltus_posix_t *posix, const char *host, const char *port);
void saltus_posix_close(saltus_transport_t *transport);
/* Waits for events of `poll`. Returns whether there are any. */
bool saltus_posix_wait(const saltus_posix_t *posix, short events, int64_t timeout);
size_t saltus_posix_read(saltus_transport_t *transport, uint8_t *buffer, size_t capacity, int64_t timeout);
size_t saltus_posix_broken(saltus_transport_t *transport, int64_t timeout);
bool saltus_posix_write_all(saltus_transport_t *transport, const uint8_t *bytes, size_t size);
bool saltus_posix_write_packet(saltus_transport_t *transport, const uint8_t *message, size_t size);

#endif
