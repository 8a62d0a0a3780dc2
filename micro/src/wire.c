/* The bytes of the protocol: numbers, identifiers and headers. */
#include "wire.h"

void sal_wire_write_uint16(saltus_cdr_t *cdr, uint16_t value) {
    saltus_cdr_write_numbers(cdr, &value, 2U, 1U);
}

uint16_t sal_wire_read_uint16(saltus_cdr_t *cdr) {
    uint16_t value = 0U;
    saltus_cdr_read_numbers(cdr, &value, 2U, 1U);
    return value;
}

void sal_wire_write_id(saltus_cdr_t *cdr, uint16_t id) {
    const uint8_t bytes[2] = {(uint8_t)(id >> 8), (uint8_t)(id & 0xFFU)};
    saltus_cdr_write_bytes(cdr, bytes, 2U);
}

uint16_t sal_wire_read_id(saltus_cdr_t *cdr) {
    uint8_t bytes[2] = {0U, 0U};
    saltus_cdr_read_bytes(cdr, bytes, 2U);
    return (uint16_t)(((uint16_t)bytes[0] << 8) | bytes[1]);
}

void sal_wire_write_header(uint8_t *message, uint8_t session, uint8_t stream, uint16_t sequence) {
    message[0] = session;
    message[1] = stream;
    sal_wire_set_uint16(&message[2], sequence);
}

void sal_wire_write_subheader(uint8_t *subheader, uint8_t kind, uint8_t flags, uint32_t length) {
    subheader[0] = kind;
    subheader[1] = (uint8_t)(flags | FLAG_LITTLE_ENDIAN);
    /* A length that does not fit is 0: the submessage then reaches to the end of its message. */
    sal_wire_set_uint16(&subheader[2], (length > UINT16_MAX) ? 0U : length);
}
