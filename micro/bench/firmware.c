/*
 * The cost of the client on a microcontroller: its memory by symbol, its stack, and the instructions of a publication.
 * The numbers of entities, the MTU and the history are macros. It runs on bare metal over the UART with a real agent,
 * and prints `name=value` words.
 */
#include <stdlib.h>

#include "board.h"
#include "example_interfaces/srv/add_two_ints.h"
#include "saltus/saltus.h"
#include "std_msgs/msg/int32.h"

#ifndef MTU
#define MTU 512U
#endif
#ifndef HISTORY
#define HISTORY 4U
#endif

#define CONNECT_TIME (20 * SALTUS_SECOND)
/* QEMU counts an instruction as 32 ns of its clock, with `-icount shift=5`. */
#define NANOSECONDS_PER_INSTRUCTION 32
#define PUBLICATIONS 100U

/* The memory that belongs to the transport: the buffer for a message, and the framing. */
uint8_t transport_buffer[MTU];
saltus_serial_t transport_serial;

/* The memory of the client. */
uint8_t stream_out[SALTUS_STREAM_BYTES(MTU, HISTORY)];
uint8_t stream_in[SALTUS_STREAM_BYTES(MTU, HISTORY)];
saltus_config_t client_config;
saltus_session_t client_session;
saltus_node_t client_node;
#if PUBLISHERS
saltus_publisher_t client_publishers[PUBLISHERS];
#endif
#if SUBSCRIPTIONS
saltus_subscription_t client_subscriptions[SUBSCRIPTIONS];
#endif
#if SERVICES
saltus_service_t client_services[SERVICES];
#endif
#if CLIENTS
saltus_client_t client_clients[CLIENTS];
#endif

/* The application's own messages, and the memory for best-effort publications of the measurement. */
std_msgs__msg__Int32 application_message;
example_interfaces__srv__AddTwoInts_Request application_request;
example_interfaces__srv__AddTwoInts_Response application_response;
uint8_t application_best_effort[MTU];

static void check(saltus_status_t status) {
    if (status != SALTUS_OK) {
        board_print(saltus_status_text(status));
        board_exit(2);
    }
}

static void print(const char *name, uint32_t value) {
    char line[64];
    char digits[12];
    size_t size = 0U;
    size_t count = 0U;
    uint32_t rest = value;
    while (name[size] != '\0') {
        line[size] = name[size];
        size++;
    }
    line[size] = '=';
    size++;
    do {
        digits[count] = (char)('0' + (char)(rest % 10U));
        rest /= 10U;
        count++;
    } while (rest > 0U);
    while (count > 0U) {
        count--;
        line[size] = digits[count];
        size++;
    }
    line[size] = '\0';
    board_print(line);
}

#if SUBSCRIPTIONS
static uint32_t received;

static void on_message(void *context, const void *message) {
    (void)context;
    (void)message;
    received++;
}
#endif

#if SERVICES
static uint32_t requests;

static bool add(void *context, const saltus_request_t *id, const void *request, void *response) {
    const example_interfaces__srv__AddTwoInts_Request *numbers = request;
    example_interfaces__srv__AddTwoInts_Response *sum = response;
    (void)context;
    (void)id;
    sum->sum = numbers->a + numbers->b;
    requests++;
    return true;
}
#endif

#if CLIENTS
static uint32_t responses;

static void on_response(void *context, uint16_t request, const void *response) {
    (void)context;
    (void)request;
    (void)response;
    responses++;
}
#endif

static void add_entities(void) {
    check(saltus_node_init(&client_node, &client_session, "bench", "", 0U));
#if PUBLISHERS
    for (uint32_t i = 0U; i < PUBLISHERS; i++) {
        check(saltus_publisher_init(&client_publishers[i], &client_node, &std_msgs__msg__Int32__type, "numbers",
                                    SALTUS_QOS_DEFAULT));
    }
#endif
#if SUBSCRIPTIONS
    for (uint32_t i = 0U; i < SUBSCRIPTIONS; i++) {
        check(saltus_subscription_init(&client_subscriptions[i], &client_node, &std_msgs__msg__Int32__type, "numbers",
                                       SALTUS_QOS_DEFAULT, &application_message, on_message, NULL));
    }
#endif
#if SERVICES
    for (uint32_t i = 0U; i < SERVICES; i++) {
        check(saltus_service_init(&client_services[i], &client_node, &example_interfaces__srv__AddTwoInts__type, "add",
                                  &application_request, &application_response, add, NULL));
    }
#endif
#if CLIENTS
    for (uint32_t i = 0U; i < CLIENTS; i++) {
        check(saltus_client_init(&client_clients[i], &client_node, &example_interfaces__srv__AddTwoInts__type,
                                 "host_add", &application_response, on_response, NULL));
    }
#endif
}

/*
 * Uses what there is, so that the stack is as deep as it gets. A node of the host publishes, calls the service, and serves
 * the client.
 */
static void exercise(void) {
    check(saltus_wait_acknowledged(&client_session, CONNECT_TIME));
    for (uint32_t i = 0U; i < 10U; i++) {
#if PUBLISHERS
        check(saltus_publish(&client_publishers[0], &application_message));
#endif
#if CLIENTS
        check(saltus_wait_acknowledged(&client_session, CONNECT_TIME));
        check(saltus_call(&client_clients[0], &application_request, NULL));
#endif
        check(saltus_spin_for(&client_session, 100 * SALTUS_MILLISECOND));
        check(saltus_wait_acknowledged(&client_session, CONNECT_TIME));
    }
}

#if PUBLISHERS
/* A transport that costs nothing. */
static bool write_nothing(saltus_transport_t *transport, const uint8_t *message, size_t size) {
    (void)transport;
    (void)message;
    (void)size;
    return true;
}

/* Counts the instructions of best-effort publications, and of as many reliable ones as the stream takes. */
static void count_instructions(void) {
    static saltus_transport_t nothing;
    nothing = *client_config.transport;
    nothing.write = write_nothing;
    client_config.transport = &nothing;
    client_config.best_effort = application_best_effort;
    client_publishers[0].entity.qos.reliable = false;
    int64_t begun = board_now();
    for (uint32_t i = 0U; i < PUBLICATIONS; i++) {
        check(saltus_publish(&client_publishers[0], &application_message));
    }
    int64_t took = board_now() - begun;
    print("best_effort_instructions", (uint32_t)(took / NANOSECONDS_PER_INSTRUCTION / PUBLICATIONS));
    client_publishers[0].entity.qos.reliable = true;
    begun = board_now();
    for (uint32_t i = 0U; i < HISTORY; i++) {
        check(saltus_publish(&client_publishers[0], &application_message));
    }
    took = board_now() - begun;
    print("reliable_instructions", (uint32_t)(took / NANOSECONDS_PER_INSTRUCTION / HISTORY));
}
#endif

int main(void) {
    board_clock_init();
#ifdef WITH_CLIENT
    const saltus_config_t config = {SALTUS_CONFIG_DEFAULTS,      .mtu = MTU,
                                    .history_out = HISTORY,      .history_in = HISTORY,
                                    .receive = transport_buffer, .reliable_out = stream_out,
                                    .reliable_in = stream_in};
    client_config = config;
    saltus_serial_init(&transport_serial, board_uart(), 1U);
    client_config.transport = &transport_serial.transport;
    client_config.now = board_now;
    client_config.key = (uint32_t)strtoul(board_argument(1U), NULL, 0);
    client_config.boot = board_random();
    board_paint_stack();
    check(saltus_session_init(&client_session, &client_config));
    add_entities();
    check(saltus_wait_ready(&client_session, CONNECT_TIME));
    exercise();
    print("stack", board_used_stack());
#if PUBLISHERS
    count_instructions();
#endif
#if SUBSCRIPTIONS
    print("received", received);
#endif
#if SERVICES
    print("requests", requests);
#endif
#if CLIENTS
    print("responses", responses);
#endif
#else
    /* The board alone, for comparison. */
    board_uart();
    board_paint_stack();
    print("stack", board_used_stack());
    print("argument", (uint32_t)strtoul(board_argument(1U), NULL, 0) + (uint32_t)board_now() + board_random());
    (void)add_entities;
    (void)exercise;
#endif
    return 0;
}
