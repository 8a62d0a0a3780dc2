/* The slots of reliable streams. A slot is a message of at most `mtu` bytes, and its length in two bytes. */
#ifndef SALTUS_SLOT_H
#define SALTUS_SLOT_H

#include "saltus/session.h"
#include "wire.h"

/* Returns the length of the message in a slot. */
static inline uint16_t sal_slot_length(const saltus_session_t *session, const uint8_t *slot) {
    return sal_wire_get_uint16(&slot[session->config->mtu]);
}

/* Sets the length of the message in a slot. */
static inline void sal_slot_set_length(const saltus_session_t *session, uint8_t *slot, uint32_t length) {
    sal_wire_set_uint16(&slot[session->config->mtu], length);
}

#endif
