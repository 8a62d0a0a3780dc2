/* The bytes of the protocol: numbers, identifiers and headers. */
#ifndef SALTUS_WIRE_H
#define SALTUS_WIRE_H

#include "constants.h"
#include "saltus/cdr.h"

/* Returns whether a sequence number comes before another one. Sequence numbers wrap around. */
static inline bool sal_wire_is_before(uint16_t a, uint16_t b) {
    return (uint16_t)(a - b) >= 0x8000U;
}

/* Returns the next multiple of 4: submessages begin at multiples of 4. */
static inline uint32_t sal_wire_align(uint32_t size) {
    return (size + 3U) & ~UINT32_C(3);
}

/* Returns the number in two bytes. The low byte comes first. */
static inline uint16_t sal_wire_get_uint16(const uint8_t *bytes) {
    return (uint16_t)(bytes[0] | ((uint16_t)bytes[1] << 8));
}

/* Stores a number in two bytes. The low byte comes first. */
static inline void sal_wire_set_uint16(uint8_t *bytes, uint32_t value) {
    bytes[0] = (uint8_t)(value & 0xFFU);
    bytes[1] = (uint8_t)(value >> 8);
}

/* Returns the length of the payload that follows the header of a submessage. */
static inline uint16_t sal_wire_payload_size(const uint8_t *subheader) {
    return sal_wire_get_uint16(&subheader[2]);
}

/* Writes a number of 16 bits, aligned to two bytes. */
void sal_wire_write_uint16(saltus_cdr_t *cdr, uint16_t value);

/* Reads a number of 16 bits, aligned to two bytes. */
uint16_t sal_wire_read_uint16(saltus_cdr_t *cdr);

/* Writes the identifier of an object or a request. The high byte comes first. */
void sal_wire_write_id(saltus_cdr_t *cdr, uint16_t id);

/* Reads the identifier of an object or a request. */
uint16_t sal_wire_read_id(saltus_cdr_t *cdr);

/* Writes the header of a message at its beginning. */
void sal_wire_write_header(uint8_t *message, uint8_t session, uint8_t stream, uint16_t sequence);

/* Writes the header of a submessage whose payload has `length` bytes. */
void sal_wire_write_subheader(uint8_t *subheader, uint8_t kind, uint8_t flags, uint32_t length);

#endif
