/*
 * A client whose network and clock are the test that started it: commands come on the standard input, and what the
 * client does goes to the standard output. All numbers are little-endian.
 *
 *   input:  'T' time:i64            spins once at this time
 *           'M' size:u16 message    a message has arrived
 *           'P' id:u32 size:u16     publishes a message of this size that begins with the number, reliable
 *   output: 'm' size:u16 message    a message is sent
 *           'd' size:u16 data       a message of the topic arrived
 *           'e' event:u8 detail:u32 an event
 *           'p' status:u8           the result of publishing
 *           '.'                     the command is done
 */
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "saltus/saltus.h"

#define LARGEST 2048U

static uint8_t input[LARGEST];
static uint16_t input_size;
static int64_t now;

/* Writes to the test. Standard I/O buffers the parts of an answer. */
static void put(const void *bytes, size_t size) {
    CHECK(fwrite(bytes, 1U, size, stdout) == size);
}

static void put_block(char kind, const void *bytes, uint16_t size) {
    put(&kind, 1U);
    put(&size, sizeof(size));
    put(bytes, size);
}

static bool net_open(saltus_transport_t *transport) {
    (void)transport;
    return true;
}

static void net_close(saltus_transport_t *transport) {
    (void)transport;
}

static bool net_write(saltus_transport_t *transport, const uint8_t *message, size_t size) {
    (void)transport;
    put_block('m', message, (uint16_t)size);
    return true;
}

static size_t net_read(saltus_transport_t *transport, uint8_t *buffer, size_t capacity, int64_t timeout) {
    const size_t size = input_size;
    (void)transport;
    (void)timeout;
    CHECK(size <= capacity);
    (void)memcpy(buffer, input, size);
    input_size = 0U;
    return size;
}

static int64_t clock_now(void) {
    return now;
}

static void on_event(saltus_session_t *session, saltus_event_t event, uint32_t detail) {
    const uint8_t code = (uint8_t)event;
    (void)session;
    put("e", 1U);
    put(&code, 1U);
    put(&detail, sizeof(detail));
}

/* The type of the topic: any bytes. */
typedef struct any {
    uint8_t bytes[LARGEST];
    uint32_t size;
} any_t;

static void write_any(saltus_cdr_t *cdr, const void *message) {
    const any_t *any = message;
    saltus_cdr_write_bytes(cdr, any->bytes, any->size);
}

static void read_any(saltus_cdr_t *cdr, void *message) {
    any_t *any = message;
    any->size = saltus_cdr_read_uint32(cdr);
    CHECK(any->size <= LARGEST);
    saltus_cdr_read_bytes(cdr, any->bytes, any->size);
}

static const saltus_message_type_t any_type = {"test_msgs::msg::dds_::Any_", write_any, read_any};
static any_t received;

static void on_message(void *context, const void *message) {
    const any_t *any = message;
    (void)context;
    put_block('d', any->bytes, (uint16_t)any->size);
}

static bool get(void *bytes, size_t size) {
    return fread(bytes, 1U, size, stdin) == size;
}

/* The message is its size in 32 bits, its number, and bytes that follow from both. */
static void publish(saltus_publisher_t *publisher) {
    static any_t message;
    uint32_t id = 0U;
    uint16_t size = 0U;
    CHECK(get(&id, sizeof(id)) && get(&size, sizeof(size)) && (size >= 4U) && ((size + 4U) <= LARGEST));
    const uint32_t number = size;
    (void)memcpy(message.bytes, &number, sizeof(number));
    (void)memcpy(&message.bytes[4], &id, sizeof(id));
    for (uint32_t i = 8U; i < (number + 4U); i++) {
        message.bytes[i] = (uint8_t)(id + i);
    }
    message.size = number + 4U;
    const uint8_t status = (uint8_t)saltus_publish(publisher, &message);
    put("p", 1U);
    put(&status, 1U);
}

static saltus_config_t config;
static saltus_session_t session;
static saltus_node_t node;
static saltus_publisher_t publisher;
static saltus_subscription_t subscription;

/* The arguments are the MTU and the history. */
static void init(unsigned int mtu, unsigned int history) {
    static saltus_transport_t transport = {net_open, net_close, net_write, net_read, NULL};
    const saltus_config_t defaults = {SALTUS_CONFIG_DEFAULTS, .transport = &transport, .now = clock_now,
                                      .key = 0x11223344U};
    config = defaults;
    config.mtu = (uint16_t)mtu;
    config.history_in = (uint8_t)history;
    config.history_out = (uint8_t)history;
    /* The memory has its exact size, so that a sanitizer sees each byte beyond it. */
    config.receive = malloc(mtu);
    config.reliable_out = malloc(SALTUS_STREAM_BYTES(mtu, history));
    config.reliable_in = malloc(SALTUS_STREAM_BYTES(mtu, history));
    config.on_event = on_event;
    CHECK((config.receive != NULL) && (config.reliable_out != NULL) && (config.reliable_in != NULL));
    CHECK(saltus_session_init(&session, &config) == SALTUS_OK);
    CHECK(saltus_node_init(&node, &session, "mcu", "", 0U) == SALTUS_OK);
    CHECK(saltus_publisher_init(&publisher, &node, &any_type, "up", SALTUS_QOS_DEFAULT) == SALTUS_OK);
    CHECK(saltus_subscription_init(&subscription, &node, &any_type, "down", SALTUS_QOS_DEFAULT, &received, on_message,
                                   NULL) == SALTUS_OK);
}

static void take_message(void) {
    CHECK(get(&input_size, sizeof(input_size)) && (input_size <= config.mtu));
    CHECK(get(input, input_size));
    CHECK(saltus_spin_once(&session, 0) == SALTUS_OK);
}

int main(int count, char **arguments) {
    char command;
    CHECK(count == 3);
    init((unsigned int)strtoul(arguments[1], NULL, 10), (unsigned int)strtoul(arguments[2], NULL, 10));
    while (get(&command, 1U)) {
        if (command == 'T') {
            CHECK(get(&now, sizeof(now)));
            CHECK(saltus_spin_once(&session, 0) == SALTUS_OK);
        } else if (command == 'M') {
            take_message();
        } else {
            CHECK(command == 'P');
            publish(&publisher);
        }
        put(".", 1U);
        (void)fflush(stdout);
    }
    free(config.receive);
    free(config.reliable_out);
    free(config.reliable_in);
    return EXIT_SUCCESS;
}
