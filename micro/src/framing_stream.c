/* Streams of bytes that lose none: the length of each message goes before it, in two bytes, little-endian. */
#include "line.h"
#include "saltus/framing.h"

/* Sends a message, with its length before it. */
static bool stream_write(saltus_transport_t *transport, const uint8_t *message, size_t size) {
    const saltus_stream_line_t *stream = (const saltus_stream_line_t *)(const void *)transport;
    const uint8_t length[2] = {(uint8_t)(size & 0xFFU), (uint8_t)(size >> 8)};
    return stream->line->write(stream->line, length, sizeof(length)) &&
           stream->line->write(stream->line, message, size) && sal_push(stream->line);
}

/* Reads a part of the length, of the message, or of a message that is too long and is dropped. */
static size_t read_part(saltus_stream_line_t *stream, uint8_t *buffer, size_t capacity, int64_t timeout) {
    if (stream->filled < 2U) {
        return stream->line->read(stream->line, &stream->length[stream->filled], 2U - stream->filled, timeout);
    }
    const size_t length = (size_t)stream->length[0] | ((size_t)stream->length[1] << 8);
    const size_t at = stream->filled - 2U;
    if (length <= capacity) {
        return stream->line->read(stream->line, &buffer[at], length - at, timeout);
    }
    const size_t rest = length - at;
    return stream->line->read(stream->line, buffer, (rest < capacity) ? rest : capacity, timeout);
}

/* Waits for a message. */
static size_t stream_read(saltus_transport_t *transport, uint8_t *buffer, size_t capacity, int64_t timeout) {
    saltus_stream_line_t *stream = (saltus_stream_line_t *)(void *)transport;
    int64_t wait = timeout;
    for (uint32_t reads = 0U; reads < SALTUS_LINE_READS; reads++) {
        const size_t part = read_part(stream, buffer, capacity, wait);
        if (part == 0U) {
            return 0U;
        }
        wait = 0;
        stream->filled += (uint32_t)part;
        const size_t length = (size_t)stream->length[0] | ((size_t)stream->length[1] << 8);
        if ((stream->filled >= 2U) && (stream->filled == (length + 2U))) {
            stream->filled = 0U;
            if (length > capacity) {
                stream->dropped++;
            } else if (length > 0U) {
                return length;
            } else {
                /* An empty message says nothing. */
            }
        }
    }
    return 0U;
}

/* Opens the line. */
static bool stream_open(saltus_transport_t *transport) {
    saltus_stream_line_t *stream = (saltus_stream_line_t *)(void *)transport;
    return stream->line->open(stream->line);
}

/* Closes the line, and drops a message that is not complete. */
static void stream_close(saltus_transport_t *transport) {
    saltus_stream_line_t *stream = (saltus_stream_line_t *)(void *)transport;
    stream->line->close(stream->line);
    stream->filled = 0U;
}

void saltus_stream_line_init(saltus_stream_line_t *stream, saltus_transport_t *line) {
    const saltus_stream_line_t empty = {0};
    *stream = empty;
    stream->transport.open = stream_open;
    stream->transport.close = stream_close;
    stream->transport.write = stream_write;
    stream->transport.read = stream_read;
    stream->line = line;
}
