/* The framings against the bytes that the widespread agent sends, and against damage. */
#include <string.h>

#include "check.h"
#include "saltus/framing.h"

/* A line in memory: what is written can be read. */
typedef struct memory_line {
    saltus_transport_t transport;
    uint8_t bytes[4096];
    size_t begin;
    size_t end;
    /* The largest number of bytes that a read returns. */
    size_t part;
} memory_line_t;

static bool line_open(saltus_transport_t *transport) {
    (void)transport;
    return true;
}

static void line_close(saltus_transport_t *transport) {
    (void)transport;
}

static bool line_write(saltus_transport_t *transport, const uint8_t *bytes, size_t size) {
    memory_line_t *line = (memory_line_t *)(void *)transport;
    CHECK(line->end + size <= sizeof(line->bytes));
    (void)memcpy(&line->bytes[line->end], bytes, size);
    line->end += size;
    return true;
}

static size_t line_read(saltus_transport_t *transport, uint8_t *buffer, size_t capacity, int64_t timeout) {
    memory_line_t *line = (memory_line_t *)(void *)transport;
    size_t size = line->end - line->begin;
    (void)timeout;
    size = (size < capacity) ? size : capacity;
    size = (size < line->part) ? size : line->part;
    (void)memcpy(buffer, &line->bytes[line->begin], size);
    line->begin += size;
    return size;
}

static void line_init(memory_line_t *line) {
    const memory_line_t empty = {{line_open, line_close, line_write, line_read, NULL}, {0}, 0U, 0U, 7U};
    *line = empty;
}

static memory_line_t the_line;
static uint8_t buffer[600];

/* Reads until a message is complete or the line is empty. */
static size_t read_message(saltus_transport_t *transport) {
    size_t size = 0U;
    while ((size == 0U) && (the_line.begin < the_line.end)) {
        size = transport->read(transport, buffer, sizeof(buffer), 0);
    }
    return size;
}

/* An agent's answer and a client's request, captured from MicroXRCEAgent 2.4.2. */
static const uint8_t sent[] = {0x7E, 0x05, 0x00, 0x18, 0x00, 0x80, 0x00, 0x00, 0x00, 0x00, 0x01, 0x10,
                               0x00, 0x58, 0x52, 0x43, 0x45, 0x01, 0x00, 0x01, 0x0F, 0x7D, 0x5E, 0x7D,
                               0x5D, 0xEE, 0x01, 0x81, 0x00, 0xFC, 0x01, 0x43, 0x7D, 0x5D};
static const uint8_t sent_message[] = {0x80, 0x00, 0x00, 0x00, 0x00, 0x01, 0x10, 0x00, 0x58, 0x52, 0x43, 0x45,
                                       0x01, 0x00, 0x01, 0x0F, 0x7E, 0x7D, 0xEE, 0x01, 0x81, 0x00, 0xFC, 0x01};
static const uint8_t answer[] = {0x7E, 0x00, 0x05, 0x13, 0x00, 0x81, 0x00, 0x00, 0x00, 0x04, 0x01, 0x0B, 0x00,
                                 0x00, 0x00, 0x58, 0x52, 0x43, 0x45, 0x01, 0x00, 0x01, 0x0F, 0x00, 0x00, 0xEC};

static void serial_has_the_bytes_of_the_widespread_agent(void) {
    saltus_serial_t serial;
    line_init(&the_line);
    saltus_serial_init(&serial, &the_line.transport, 5U);
    CHECK(serial.transport.write(&serial.transport, sent_message, sizeof(sent_message)));
    CHECK((the_line.end == sizeof(sent)) && (memcmp(the_line.bytes, sent, sizeof(sent)) == 0));
    line_init(&the_line);
    CHECK(line_write(&the_line.transport, answer, sizeof(answer)));
    CHECK(read_message(&serial.transport) == 0x13U);
    CHECK(memcmp(buffer, &answer[5], 0x13U) == 0);
    CHECK(serial.dropped == 0U);
}

static void serial_drops_damaged_messages_and_goes_on(void) {
    for (size_t damaged = 1U; damaged < sizeof(answer); damaged++) {
        saltus_serial_t serial;
        line_init(&the_line);
        saltus_serial_init(&serial, &the_line.transport, 5U);
        CHECK(line_write(&the_line.transport, answer, sizeof(answer)));
        the_line.bytes[damaged] ^= 0x10U;
        /* The source is in no checksum, and is not used. */
        const bool is_dropped = read_message(&serial.transport) == 0U;
        CHECK(is_dropped || (damaged == 1U));
        /* A damaged length may swallow one message; the next flag begins a new one. */
        CHECK(line_write(&the_line.transport, answer, sizeof(answer)));
        CHECK(read_message(&serial.transport) == 0x13U);
    }
}

static void serial_ignores_other_addresses_and_too_long_messages(void) {
    static const uint8_t too_long[] = {0x7E, 0x00, 0x05, 0xFF, 0xFF, 0x01, 0x02};
    saltus_serial_t serial;
    line_init(&the_line);
    saltus_serial_init(&serial, &the_line.transport, 6U);
    CHECK(line_write(&the_line.transport, answer, sizeof(answer)));
    CHECK(read_message(&serial.transport) == 0U);
    saltus_serial_init(&serial, &the_line.transport, 5U);
    CHECK(line_write(&the_line.transport, too_long, sizeof(too_long)));
    CHECK(line_write(&the_line.transport, answer, sizeof(answer)));
    CHECK(read_message(&serial.transport) == 0x13U);
    CHECK(serial.dropped == 1U);
}

static void streams_keep_the_borders_of_messages(void) {
    saltus_stream_line_t stream;
    uint8_t message[500];
    for (size_t size = 1U; size < sizeof(message); size += 7U) {
        line_init(&the_line);
        the_line.part = 1U + (size % 5U);
        saltus_stream_line_init(&stream, &the_line.transport);
        (void)memset(message, (int)(size & 0x7FU), sizeof(message));
        CHECK(stream.transport.write(&stream.transport, message, size));
        CHECK(stream.transport.write(&stream.transport, message, 3U));
        CHECK(read_message(&stream.transport) == size);
        CHECK(memcmp(buffer, message, size) == 0);
        CHECK(read_message(&stream.transport) == 3U);
    }
}

static void streams_drop_messages_that_are_too_long(void) {
    static const uint8_t head[2] = {0xE8, 0x03};
    static const uint8_t body[1000] = {0};
    static const uint8_t next[5] = {3U, 0U, 'a', 'b', 'c'};
    saltus_stream_line_t stream;
    line_init(&the_line);
    the_line.part = 100U;
    saltus_stream_line_init(&stream, &the_line.transport);
    CHECK(line_write(&the_line.transport, head, sizeof(head)));
    CHECK(line_write(&the_line.transport, body, sizeof(body)));
    CHECK(line_write(&the_line.transport, next, sizeof(next)));
    CHECK(read_message(&stream.transport) == 3U);
    CHECK((memcmp(buffer, "abc", 3U) == 0) && (stream.dropped == 1U));
}

static void frames_of_can_have_lengths_that_exist(void) {
    saltus_can_t can;
    uint8_t message[SALTUS_CAN_MTU];
    (void)memset(message, 0x55, sizeof(message));
    for (size_t size = 1U; size <= SALTUS_CAN_MTU; size++) {
        line_init(&the_line);
        the_line.part = 64U;
        saltus_can_init(&can, &the_line.transport);
        CHECK(can.transport.write(&can.transport, message, size));
        CHECK((the_line.end > size) && (the_line.end <= 64U) && ((the_line.end <= 8U) || ((the_line.end % 4U) == 0U)));
        CHECK(can.transport.read(&can.transport, buffer, sizeof(buffer), 0) == size);
        CHECK(memcmp(buffer, message, size) == 0);
    }
    CHECK(!can.transport.write(&can.transport, message, SALTUS_CAN_MTU + 1U));
}

int main(void) {
    serial_has_the_bytes_of_the_widespread_agent();
    serial_drops_damaged_messages_and_goes_on();
    serial_ignores_other_addresses_and_too_long_messages();
    streams_keep_the_borders_of_messages();
    streams_drop_messages_that_are_too_long();
    frames_of_can_have_lengths_that_exist();
    (void)puts("framing: all checks passed");
    return EXIT_SUCCESS;
}
