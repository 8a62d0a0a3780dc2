/*
 * Serial lines: 0x7E, then escaped: source, destination, length, payload, CRC-16/ARC of the payload; little-endian.
 * 0x7E and 0x7D are escaped: 0x7D, and the byte with bit 5 inverted.
 */
#include "line.h"
#include "saltus/framing.h"

#define FLAG 0x7EU
#define ESCAPE 0x7DU
#define INVERTED 0x20U
#define AGENT 0U

/* The table for four bits at a time: 32 bytes of flash instead of 512. */
static const uint16_t crc_table[16] = {0x0000U, 0xCC01U, 0xD801U, 0x1400U, 0xF001U, 0x3C00U, 0x2800U, 0xE401U,
                                       0xA001U, 0x6C00U, 0x7800U, 0xB401U, 0x5000U, 0x9C01U, 0x8801U, 0x4400U};

/* Returns a checksum with one more byte. */
static uint16_t add_to_crc(uint16_t crc, uint8_t byte) {
    const uint16_t low = (uint16_t)((crc >> 4) ^ crc_table[(crc ^ byte) & 0x0FU]);
    return (uint16_t)((low >> 4) ^ crc_table[(low ^ (byte >> 4)) & 0x0FU]);
}

/* Bytes on their way to the line. */
typedef struct output {
    saltus_transport_t *line;
    uint8_t bytes[SALTUS_LINE_CHUNK];
    uint8_t size;
    bool ok;
} output_t;

/* Adds a byte, and writes the bytes when the buffer is full. */
static void put_raw(output_t *output, uint8_t byte) {
    output->bytes[output->size] = byte;
    output->size++;
    if (output->size == SALTUS_LINE_CHUNK) {
        output->ok = output->ok && output->line->write(output->line, output->bytes, output->size);
        output->size = 0U;
    }
}

/* Adds a byte, escaped if that is necessary. */
static void put(output_t *output, uint8_t byte) {
    if ((byte == FLAG) || (byte == ESCAPE)) {
        put_raw(output, ESCAPE);
        put_raw(output, byte ^ INVERTED);
    } else {
        put_raw(output, byte);
    }
}

/* Sends a message in a frame. */
static bool serial_write(saltus_transport_t *transport, const uint8_t *message, size_t size) {
    const saltus_serial_t *serial = (const saltus_serial_t *)(const void *)transport;
    output_t output;
    uint16_t crc = 0U;
    output.line = serial->line;
    output.size = 0U;
    output.ok = true;
    put_raw(&output, FLAG);
    put(&output, serial->local);
    put(&output, serial->remote);
    put(&output, (uint8_t)(size & 0xFFU));
    put(&output, (uint8_t)((size >> 8) & 0xFFU));
    for (size_t i = 0U; i < size; i++) {
        put(&output, message[i]);
        crc = add_to_crc(crc, message[i]);
    }
    put(&output, (uint8_t)(crc & 0xFFU));
    put(&output, (uint8_t)(crc >> 8));
    return output.ok && ((output.size == 0U) || output.line->write(output.line, output.bytes, output.size)) &&
           sal_push(output.line);
}

/* Begins to read a frame. */
static void begin_frame(saltus_serial_t *serial) {
    serial->state = SALTUS_SERIAL_SOURCE;
    serial->escaped = false;
}

/* Drops the present frame, and waits for the next one. */
static void drop_frame(saltus_serial_t *serial) {
    serial->dropped++;
    serial->state = SALTUS_SERIAL_FLAG;
}

/* Takes the low byte of the CRC, or the high one. Returns whether a message is complete. */
static bool take_crc(saltus_serial_t *serial, uint8_t byte) {
    if (serial->state == SALTUS_SERIAL_CRC_LOW) {
        serial->expected_crc = byte;
        serial->state = SALTUS_SERIAL_CRC_HIGH;
        return false;
    }
    serial->expected_crc = (uint16_t)(serial->expected_crc | ((uint16_t)byte << 8));
    if (serial->expected_crc != serial->crc) {
        drop_frame(serial);
        return false;
    }
    serial->state = SALTUS_SERIAL_FLAG;
    return true;
}

/* Takes a byte of the address or the length. */
static void take_head(saltus_serial_t *serial, uint8_t byte, size_t capacity) {
    switch (serial->state) {
    case SALTUS_SERIAL_SOURCE:
        serial->state = SALTUS_SERIAL_DESTINATION;
        break;
    case SALTUS_SERIAL_DESTINATION:
        serial->state = (byte == serial->local) ? SALTUS_SERIAL_LENGTH_LOW : SALTUS_SERIAL_FLAG;
        break;
    case SALTUS_SERIAL_LENGTH_LOW:
        serial->length = byte;
        serial->state = SALTUS_SERIAL_LENGTH_HIGH;
        break;
    default:
        serial->length = (uint16_t)(serial->length | ((uint16_t)byte << 8));
        serial->filled = 0U;
        serial->crc = 0U;
        serial->state = SALTUS_SERIAL_PAYLOAD;
        if ((serial->length > capacity) || (serial->length == 0U)) {
            drop_frame(serial);
        }
        break;
    }
}

/* Takes a byte from the line. Returns whether a message is complete. */
static bool take(saltus_serial_t *serial, uint8_t raw, uint8_t *buffer, size_t capacity) {
    uint8_t byte = raw;
    if (raw == FLAG) {
        if (serial->state != SALTUS_SERIAL_FLAG) {
            serial->dropped++;
        }
        begin_frame(serial);
        return false;
    }
    if (serial->state == SALTUS_SERIAL_FLAG) {
        return false;
    }
    if (raw == ESCAPE) {
        serial->escaped = true;
        return false;
    }
    if (serial->escaped) {
        serial->escaped = false;
        byte = raw ^ INVERTED;
    }
    if (serial->state == SALTUS_SERIAL_PAYLOAD) {
        buffer[serial->filled] = byte;
        serial->filled++;
        serial->crc = add_to_crc(serial->crc, byte);
        if (serial->filled == serial->length) {
            serial->state = SALTUS_SERIAL_CRC_LOW;
        }
        return false;
    }
    if (serial->state > SALTUS_SERIAL_PAYLOAD) {
        return take_crc(serial, byte);
    }
    take_head(serial, byte, capacity);
    return false;
}

/*
 * The bytes of an incomplete message stay in the buffer of the session, which always passes the same one. So a message
 * may take several calls.
 */
static size_t serial_read(saltus_transport_t *transport, uint8_t *buffer, size_t capacity, int64_t timeout) {
    saltus_serial_t *serial = (saltus_serial_t *)(void *)transport;
    int64_t wait = timeout;
    for (uint32_t reads = 0U; reads <= SALTUS_LINE_READS; reads++) {
        while (serial->chunk_at < serial->chunk_size) {
            const uint8_t byte = serial->chunk[serial->chunk_at];
            serial->chunk_at++;
            if (take(serial, byte, buffer, capacity)) {
                return serial->length;
            }
        }
        serial->chunk_at = 0U;
        serial->chunk_size = (uint8_t)serial->line->read(serial->line, serial->chunk, SALTUS_LINE_CHUNK, wait);
        if (serial->chunk_size == 0U) {
            return 0U;
        }
        /* The rest of a message needs no other wait: the session calls again. */
        wait = 0;
    }
    return 0U;
}

/* Opens the line. */
static bool serial_open(saltus_transport_t *transport) {
    saltus_serial_t *serial = (saltus_serial_t *)(void *)transport;
    return serial->line->open(serial->line);
}

/* Closes the line, and drops the bytes that were read from it. */
static void serial_close(saltus_transport_t *transport) {
    saltus_serial_t *serial = (saltus_serial_t *)(void *)transport;
    serial->line->close(serial->line);
    serial->state = SALTUS_SERIAL_FLAG;
    serial->chunk_size = 0U;
    serial->chunk_at = 0U;
}

void saltus_serial_init(saltus_serial_t *serial, saltus_transport_t *line, uint8_t local) {
    const saltus_serial_t empty = {0};
    *serial = empty;
    serial->transport.open = serial_open;
    serial->transport.close = serial_close;
    serial->transport.write = serial_write;
    serial->transport.read = serial_read;
    serial->line = line;
    serial->local = local;
    serial->remote = AGENT;
    serial->state = SALTUS_SERIAL_FLAG;
}
