/*
 * The client against any bytes of an agent. The input is a list of messages, each with its length in a byte before it.
 * With clang's fuzzer, `make micro-fuzz` runs it; without it, the program reads files, as the tests do with the corpus.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "example_interfaces/srv/add_two_ints.h"
#include "rcl_interfaces/msg/parameter_type.h"
#include "saltus/saltus.h"
#include "std_msgs/msg/string.h"

#define MTU 128U
#define HISTORY 3U

static const uint8_t *input;
static size_t input_size;
static int64_t now;

static bool net_open(saltus_transport_t *transport) {
    (void)transport;
    return true;
}

static void net_close(saltus_transport_t *transport) {
    (void)transport;
}

static bool net_write(saltus_transport_t *transport, const uint8_t *message, size_t size) {
    (void)transport;
    CHECK((message != NULL) && (size <= MTU));
    return true;
}

/* Takes the next message of the input. */
static size_t net_read(saltus_transport_t *transport, uint8_t *buffer, size_t capacity, int64_t timeout) {
    (void)transport;
    (void)timeout;
    if (input_size == 0U) {
        return 0U;
    }
    size_t size = input[0];
    size = (size < (input_size - 1U)) ? size : (input_size - 1U);
    size = (size < capacity) ? size : capacity;
    (void)memcpy(buffer, &input[1], size);
    input = &input[1U + size];
    input_size -= 1U + size;
    return size;
}

static int64_t clock_now(void) {
    return now;
}

static void on_message(void *context, const void *message) {
    const std_msgs__msg__String *text = message;
    (void)context;
    CHECK(strlen(text->data.data) <= text->data.size);
}

static bool on_request(void *context, const saltus_request_t *id, const void *request, void *response) {
    const example_interfaces__srv__AddTwoInts_Request *numbers = request;
    example_interfaces__srv__AddTwoInts_Response *sum = response;
    (void)context;
    (void)id;
    sum->sum = (int64_t)((uint64_t)numbers->a + (uint64_t)numbers->b);
    return true;
}

static void on_response(void *context, uint16_t request, const void *response) {
    (void)context;
    (void)request;
    (void)response;
}

/* An agent accepts the session, and each entity. */
static void connect(saltus_session_t *session) {
    /* The first session, because `boot` is 0. */
    static const uint8_t accepted[] = {19, 0x81, 0, 0, 0, 4, 1, 11, 0, 0, 0, 'X', 'R', 'C', 'E', 1, 0, 1, 0x0F, 0};
    input = accepted;
    input_size = sizeof(accepted);
    CHECK(saltus_spin_once(session, 0) == SALTUS_OK);
    for (saltus_entity_t *entity = session->entities; entity != NULL; entity = entity->next) {
        entity->state = (uint8_t)SALTUS_ENTITY_READY;
    }
}

static char label[16] = "a";
/* One or two lines for a parameter. */
/* clang-format off */
static saltus_parameter_t parameters[] = {
    {"group.number", "", NULL, {.integer_value = 1}, rcl_interfaces__msg__ParameterType__PARAMETER_INTEGER, false},
    {"group.text", "", NULL, {.string_value = {label, 1U, sizeof(label)}},
     rcl_interfaces__msg__ParameterType__PARAMETER_STRING, false},
};
/* clang-format on */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static saltus_transport_t transport = {net_open, net_close, net_write, net_read, NULL};
    static const saltus_lifecycle_callbacks_t callbacks = {NULL, NULL, NULL, NULL, NULL, NULL};
    /* The memory has its exact size, so that a sanitizer sees each byte beyond it. */
    uint8_t *receive = malloc(MTU);
    uint8_t *out = malloc(SALTUS_STREAM_BYTES(MTU, HISTORY));
    uint8_t *in = malloc(SALTUS_STREAM_BYTES(MTU, HISTORY));
    char *memory = malloc(16U);
    saltus_config_t config = {
        SALTUS_CONFIG_DEFAULTS, .transport = &transport, .now = clock_now,   .key = 1U,           .mtu = MTU,
        .history_in = HISTORY,  .history_out = HISTORY,  .receive = receive, .reliable_out = out, .reliable_in = in};
    saltus_session_t session;
    saltus_node_t node;
    saltus_subscription_t subscription;
    saltus_service_t service;
    saltus_client_t client;
    static saltus_parameter_server_t parameter_server;
    static saltus_lifecycle_t lifecycle;
    std_msgs__msg__String text = {saltus_string_in(memory, 16U)};
    example_interfaces__srv__AddTwoInts_Request request;
    example_interfaces__srv__AddTwoInts_Response response;
    now = SALTUS_SECOND;
    CHECK(saltus_session_init(&session, &config) == SALTUS_OK);
    CHECK(saltus_node_init(&node, &session, "n", "", 0U) == SALTUS_OK);
    CHECK(saltus_subscription_init(&subscription, &node, &std_msgs__msg__String__type, "t", SALTUS_QOS_DEFAULT, &text,
                                   on_message, NULL) == SALTUS_OK);
    CHECK(saltus_service_init(&service, &node, &example_interfaces__srv__AddTwoInts__type, "s", &request, &response,
                              on_request, NULL) == SALTUS_OK);
    CHECK(saltus_client_init(&client, &node, &example_interfaces__srv__AddTwoInts__type, "c", &response, on_response,
                             NULL) == SALTUS_OK);
    CHECK(saltus_parameter_server_init(&parameter_server, &node, parameters, 2U) == SALTUS_OK);
    CHECK(saltus_lifecycle_init(&lifecycle, &node, &callbacks, NULL) == SALTUS_OK);
    connect(&session);
    input = data;
    input_size = size;
    while (input_size > 0U) {
        CHECK(saltus_spin_once(&session, 0) == SALTUS_OK);
        now += SALTUS_MILLISECOND;
    }
    free(receive);
    free(out);
    free(in);
    free(memory);
    return 0;
}

#ifndef WITH_FUZZER
int main(int count, char **arguments) {
    static uint8_t bytes[1U << 16];
    for (int i = 1; i < count; i++) {
        FILE *file = fopen(arguments[i], "rb");
        CHECK(file != NULL);
        const size_t size = fread(bytes, 1U, sizeof(bytes), file);
        (void)fclose(file);
        CHECK(LLVMFuzzerTestOneInput(bytes, size) == 0);
    }
    (void)printf("fuzz: %d inputs passed\n", count - 1);
    return EXIT_SUCCESS;
}
#endif
