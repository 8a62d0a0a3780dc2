/*
 * Publishes a counter on `/mcu/counter` ten times in a second, and each text from `/mcu/in` on `/mcu/out`.
 */
#include "app.h"
#include "std_msgs/msg/int32.h"
#include "std_msgs/msg/string.h"

#define PERIOD (100 * SALTUS_MILLISECOND)

static saltus_node_t node;
static saltus_publisher_t counter;
static saltus_publisher_t out;
static saltus_subscription_t in;
static saltus_timer_t timer;
static char text[256];
static std_msgs__msg__String received;
static std_msgs__msg__Int32 count;

static void publish_count(void *context) {
    (void)context;
    count.data++;
    (void)saltus_publish(&counter, &count);
}

/* A text waits while the stream to the agent is full. */
static void publish_text(void *context, const void *message) {
    saltus_session_t *session = context;
    if (saltus_publish(&out, message) == SALTUS_FULL) {
        saltus_defer(session);
    }
}

saltus_status_t app_init(saltus_session_t *session) {
    received.data = saltus_string_in(text, sizeof(text));
    saltus_status_t status = saltus_node_init(&node, session, "talker", "/mcu", 0U);
    if (status == SALTUS_OK) {
        status = saltus_publisher_init(&counter, &node, &std_msgs__msg__Int32__type, "counter", SALTUS_QOS_SENSOR_DATA);
    }
    if (status == SALTUS_OK) {
        status = saltus_publisher_init(&out, &node, &std_msgs__msg__String__type, "out", SALTUS_QOS_DEFAULT);
    }
    if (status == SALTUS_OK) {
        status = saltus_subscription_init(&in, &node, &std_msgs__msg__String__type, "in", SALTUS_QOS_DEFAULT, &received,
                                          publish_text, session);
    }
    if (status == SALTUS_OK) {
        status = saltus_timer_init(&timer, session, PERIOD, publish_count, NULL);
    }
    return status;
}
