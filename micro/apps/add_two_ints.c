/*
 * The service `/mcu/add_two_ints`, and a client of the host's service `/host/add_two_ints`, whose sums are published on
 * `/mcu/sum`.
 */
#include "example_interfaces/srv/add_two_ints.h"
#include "app.h"
#include "std_msgs/msg/int64.h"

#define PERIOD (200 * SALTUS_MILLISECOND)

static saltus_node_t node;
static saltus_service_t service;
static saltus_client_t client;
static saltus_publisher_t sums;
static saltus_timer_t timer;
static example_interfaces__srv__AddTwoInts_Request request;
static example_interfaces__srv__AddTwoInts_Response response;
static example_interfaces__srv__AddTwoInts_Request asked;
static example_interfaces__srv__AddTwoInts_Response answered;

static bool add(void *context, const saltus_request_t *id, const void *given, void *result) {
    const example_interfaces__srv__AddTwoInts_Request *numbers = given;
    example_interfaces__srv__AddTwoInts_Response *sum = result;
    (void)context;
    (void)id;
    /* Sums that are too large wrap around. */
    sum->sum = (int64_t)((uint64_t)numbers->a + (uint64_t)numbers->b);
    return true;
}

static void publish_sum(void *context, uint16_t number, const void *result) {
    const example_interfaces__srv__AddTwoInts_Response *sum = result;
    const std_msgs__msg__Int64 message = {sum->sum};
    (void)context;
    (void)number;
    (void)saltus_publish(&sums, &message);
}

static void ask(void *context) {
    (void)context;
    asked.a++;
    asked.b = 1000;
    (void)saltus_call(&client, &asked, NULL);
}

saltus_status_t app_init(saltus_session_t *session) {
    saltus_status_t status = saltus_node_init(&node, session, "adder", "/mcu", 0U);
    if (status == SALTUS_OK) {
        status = saltus_service_init(&service, &node, &example_interfaces__srv__AddTwoInts__type, "add_two_ints",
                                     &request, &response, add, NULL);
    }
    if (status == SALTUS_OK) {
        status = saltus_client_init(&client, &node, &example_interfaces__srv__AddTwoInts__type, "/host/add_two_ints",
                                    &answered, publish_sum, NULL);
    }
    if (status == SALTUS_OK) {
        status = saltus_publisher_init(&sums, &node, &std_msgs__msg__Int64__type, "sum", SALTUS_QOS_DEFAULT);
    }
    if (status == SALTUS_OK) {
        status = saltus_timer_init(&timer, session, PERIOD, ask, NULL);
    }
    return status;
}
