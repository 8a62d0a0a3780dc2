/*
 * A sensor: publishes a temperature on `/mcu/temperature` while it is active, with the parameters `offset`, `period_ms`
 * and `label`; the action `/mcu/fibonacci`; and its estimate of the host's time on `/mcu/time`.
 */
#include "action_tutorials_interfaces/action/fibonacci.h"
#include "app.h"
#include "builtin_interfaces/msg/time.h"
#include "rcl_interfaces/msg/parameter_type.h"
#include "std_msgs/msg/float64.h"

#define LARGEST_ORDER 20
#define STEP (100 * SALTUS_MILLISECOND)

static saltus_session_t *the_session;
static saltus_node_t node;
static saltus_publisher_t temperature;
static saltus_publisher_t clock_topic;
static saltus_lifecycle_t lifecycle;
static saltus_parameter_server_t parameter_server;
static saltus_action_server_t action;
static saltus_timer_t sampling;
static saltus_timer_t stepping;

static char label[32] = "cpu";
static const saltus_parameter_range_t periods = {10, 10000, 0.0, 0.0};
/* Two lines for a parameter. */
/* clang-format off */
static saltus_parameter_t parameters[] = {
    {"offset", "Is added to the temperature, in degrees", NULL, {.double_value = 0.0},
     rcl_interfaces__msg__ParameterType__PARAMETER_DOUBLE, false},
    {"sampling.period_ms", "The time between samples", &periods, {.integer_value = 100},
     rcl_interfaces__msg__ParameterType__PARAMETER_INTEGER, false},
    {"sampling.label", "Where the sensor is", NULL, {.string_value = {label, 3U, sizeof(label)}},
     rcl_interfaces__msg__ParameterType__PARAMETER_STRING, false},
    {"serial", "The number of the device", NULL, {.integer_value = 4711},
     rcl_interfaces__msg__ParameterType__PARAMETER_INTEGER, true},
};
/* clang-format on */
#define PARAMETERS (sizeof(parameters) / sizeof(parameters[0]))

static action_tutorials_interfaces__action__Fibonacci_SendGoal_Request goal_request;
static action_tutorials_interfaces__action__Fibonacci_GetResult_Response goal_result;
static const action_tutorials_interfaces__action__Fibonacci_GetResult_Response no_result = {0};
static action_tutorials_interfaces__action__Fibonacci_FeedbackMessage feedback;
static int32_t numbers[LARGEST_ORDER + 1];
static saltus_goal_t goals[1];

static void sample(void *context) {
    static double degrees = 20.0;
    std_msgs__msg__Float64 message;
    builtin_interfaces__msg__Time time;
    (void)context;
    degrees = (degrees > 30.0) ? 20.0 : (degrees + 0.1);
    if (saltus_lifecycle_is_active(&lifecycle)) {
        message.data = degrees + saltus_parameter(&parameter_server, "offset")->value.double_value;
        (void)saltus_publish(&temperature, &message);
    }
    if (saltus_has_time(the_session)) {
        const int64_t now = saltus_time(the_session);
        time.sec = (int32_t)(now / SALTUS_SECOND);
        time.nanosec = (uint32_t)(now % SALTUS_SECOND);
        (void)saltus_publish(&clock_topic, &time);
    }
}

static void change_period(void *context, const saltus_parameter_t *parameter) {
    (void)context;
    if (parameter->type == rcl_interfaces__msg__ParameterType__PARAMETER_INTEGER) {
        sampling.period = parameter->value.integer_value * SALTUS_MILLISECOND;
    }
}

static bool accept_goal(void *context, saltus_goal_t *goal) {
    const action_tutorials_interfaces__action__Fibonacci_SendGoal_Request *request = goal->request;
    (void)context;
    if ((request->goal.order < 1) || (request->goal.order > LARGEST_ORDER)) {
        return false;
    }
    numbers[0] = 0;
    numbers[1] = 1;
    feedback.feedback.partial_sequence.data = numbers;
    feedback.feedback.partial_sequence.size = 2U;
    return true;
}

static bool accept_cancel(void *context, saltus_goal_t *goal) {
    (void)context;
    (void)goal;
    return true;
}

static void end_goal(saltus_goal_status_t status) {
    goal_result.result.sequence.data = numbers;
    goal_result.result.sequence.size = feedback.feedback.partial_sequence.size;
    /* If the stream is full, the goal goes on, and the next step ends it. */
    (void)saltus_action_finish(&action, &goals[0], status);
}

/* Computes the next number of a goal. */
static void step(void *context) {
    uint32_t *size = &feedback.feedback.partial_sequence.size;
    (void)context;
    if (goals[0].status == action_msgs__msg__GoalStatus__STATUS_CANCELING) {
        end_goal(action_msgs__msg__GoalStatus__STATUS_CANCELED);
    } else if (goals[0].status != action_msgs__msg__GoalStatus__STATUS_EXECUTING) {
        /* There is nothing to do. */
    } else if (*size > (uint32_t)goal_request.goal.order) {
        end_goal(action_msgs__msg__GoalStatus__STATUS_SUCCEEDED);
    } else {
        numbers[*size] = numbers[*size - 1U] + numbers[*size - 2U];
        (*size)++;
        (void)saltus_action_feedback(&action, &goals[0], &feedback);
    }
}

static const saltus_action_callbacks_t action_callbacks = {accept_goal, accept_cancel};
static const saltus_lifecycle_callbacks_t lifecycle_callbacks = {NULL, NULL, NULL, NULL, NULL, NULL};

static saltus_status_t init_topics(void) {
    saltus_status_t status =
        saltus_publisher_init(&temperature, &node, &std_msgs__msg__Float64__type, "temperature", SALTUS_QOS_DEFAULT);
    if (status == SALTUS_OK) {
        status = saltus_publisher_init(&clock_topic, &node, &builtin_interfaces__msg__Time__type, "time",
                                       SALTUS_QOS_SENSOR_DATA);
    }
    return status;
}

static saltus_status_t init_action(void) {
    goals[0].request = &goal_request;
    goals[0].result = &goal_result;
    return saltus_action_server_init(&action, &node, &action_tutorials_interfaces__action__Fibonacci__type, "fibonacci",
                                     goals, 1U, &no_result, &action_callbacks, NULL);
}

saltus_status_t app_init(saltus_session_t *session) {
    the_session = session;
    saltus_status_t status = saltus_node_init(&node, session, "sensor", "/mcu", 0U);
    if (status == SALTUS_OK) {
        status = init_topics();
    }
    if (status == SALTUS_OK) {
        status = saltus_lifecycle_init(&lifecycle, &node, &lifecycle_callbacks, NULL);
    }
    if (status == SALTUS_OK) {
        status = saltus_parameter_server_init(&parameter_server, &node, parameters, PARAMETERS);
        parameter_server.on_change = change_period;
    }
    if (status == SALTUS_OK) {
        status = init_action();
    }
    if (status == SALTUS_OK) {
        status = saltus_timer_init(&sampling, session, 100 * SALTUS_MILLISECOND, sample, NULL);
    }
    if (status == SALTUS_OK) {
        status = saltus_timer_init(&stepping, session, STEP, step, NULL);
    }
    return status;
}
