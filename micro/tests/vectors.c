/*
 * The messages of `spec/vectors/rosbags_cdr.txt` (the argument): each one is read and written, and must have the same
 * bytes. Messages that end too early are refused, whatever their length.
 */
#include <string.h>

#include "action_msgs/msg/goal_status_array.h"
#include "action_tutorials_interfaces/action/fibonacci.h"
#include "builtin_interfaces/msg/time.h"
#include "check.h"
#include "example_interfaces/srv/add_two_ints.h"
#include "lifecycle_msgs/msg/transition_event.h"
#include "rcl_interfaces/msg/log.h"
#include "rcl_interfaces/msg/parameter_value.h"
#include "rcl_interfaces/msg/set_parameters_result.h"
#include "std_msgs/msg/color_rgba.h"
#include "std_msgs/msg/float64_multi_array.h"
#include "std_msgs/msg/header.h"
#include "std_msgs/msg/int16_multi_array.h"
#include "std_msgs/msg/string.h"
#include "std_srvs/srv/set_bool.h"

#define TEXTS 64
#define TEXT 512
#define MANY 512

static char texts[TEXTS][TEXT];
static int used_texts;

/* Returns memory for a string. */
static saltus_string_t text(void) {
    CHECK(used_texts < TEXTS);
    const saltus_string_t string = saltus_string_in(texts[used_texts], TEXT);
    used_texts++;
    return string;
}

/* Memory for the sequences and strings of all types. */
static union message {
    std_msgs__msg__String string;
    std_msgs__msg__Header header;
    std_msgs__msg__ColorRGBA color;
    std_msgs__msg__Float64MultiArray doubles;
    std_msgs__msg__Int16MultiArray shorts;
    builtin_interfaces__msg__Time time;
    rcl_interfaces__msg__Log log;
    rcl_interfaces__msg__ParameterValue value;
    rcl_interfaces__msg__SetParametersResult result;
    lifecycle_msgs__msg__TransitionEvent event;
    action_msgs__msg__GoalStatusArray statuses;
    action_tutorials_interfaces__action__Fibonacci_Result fibonacci;
    example_interfaces__srv__AddTwoInts_Request request;
    std_srvs__srv__SetBool_Response set_bool;
} message;

static std_msgs__msg__MultiArrayDimension dimensions[MANY];
static action_msgs__msg__GoalStatus statuses[MANY];
static double doubles[MANY];
static int64_t longs[MANY];
static int16_t shorts[MANY];
static int32_t ints[MANY];
static uint8_t bytes[MANY];
static bool bools[MANY];
static saltus_string_t strings[32];

static void prepare_layout(std_msgs__msg__MultiArrayLayout *layout) {
    layout->dim.data = dimensions;
    layout->dim.capacity = 16U;
    for (int i = 0; i < 16; i++) {
        dimensions[i].label = text();
    }
}

static void prepare_string(void) {
    message.string.data = text();
}

static void prepare_header(void) {
    message.header.frame_id = text();
}

static void prepare_doubles(void) {
    prepare_layout(&message.doubles.layout);
    message.doubles.data.data = doubles;
    message.doubles.data.capacity = MANY;
}

static void prepare_shorts(void) {
    prepare_layout(&message.shorts.layout);
    message.shorts.data.data = shorts;
    message.shorts.data.capacity = MANY;
}

static void prepare_log(void) {
    message.log.name = text();
    message.log.msg = text();
    message.log.file = text();
    message.log.function = text();
}

static void prepare_value(void) {
    rcl_interfaces__msg__ParameterValue *value = &message.value;
    value->string_value = text();
    value->byte_array_value.data = bytes;
    value->byte_array_value.capacity = MANY;
    value->bool_array_value.data = bools;
    value->bool_array_value.capacity = MANY;
    value->integer_array_value.data = longs;
    value->integer_array_value.capacity = MANY;
    value->double_array_value.data = doubles;
    value->double_array_value.capacity = MANY;
    value->string_array_value.data = strings;
    value->string_array_value.capacity = 32U;
    for (int i = 0; i < 32; i++) {
        strings[i] = text();
    }
}

static void prepare_result(void) {
    message.result.reason = text();
}

static void prepare_event(void) {
    message.event.transition.label = text();
    message.event.start_state.label = text();
    message.event.goal_state.label = text();
}

static void prepare_statuses(void) {
    message.statuses.status_list.data = statuses;
    message.statuses.status_list.capacity = MANY;
}

static void prepare_fibonacci(void) {
    message.fibonacci.sequence.data = ints;
    message.fibonacci.sequence.capacity = MANY;
}

static void prepare_set_bool(void) {
    message.set_bool.message = text();
}

static void prepare_nothing(void) {
}

static const struct row {
    const char *name;
    const saltus_message_type_t *type;
    void (*prepare)(void);
} rows[] = {
    {"std_msgs/msg/String", &std_msgs__msg__String__type, prepare_string},
    {"std_msgs/msg/Header", &std_msgs__msg__Header__type, prepare_header},
    {"std_msgs/msg/ColorRGBA", &std_msgs__msg__ColorRGBA__type, prepare_nothing},
    {"std_msgs/msg/Float64MultiArray", &std_msgs__msg__Float64MultiArray__type, prepare_doubles},
    {"std_msgs/msg/Int16MultiArray", &std_msgs__msg__Int16MultiArray__type, prepare_shorts},
    {"builtin_interfaces/msg/Time", &builtin_interfaces__msg__Time__type, prepare_nothing},
    {"rcl_interfaces/msg/Log", &rcl_interfaces__msg__Log__type, prepare_log},
    {"rcl_interfaces/msg/ParameterValue", &rcl_interfaces__msg__ParameterValue__type, prepare_value},
    {"rcl_interfaces/msg/SetParametersResult", &rcl_interfaces__msg__SetParametersResult__type, prepare_result},
    {"lifecycle_msgs/msg/TransitionEvent", &lifecycle_msgs__msg__TransitionEvent__type, prepare_event},
    {"action_msgs/msg/GoalStatusArray", &action_msgs__msg__GoalStatusArray__type, prepare_statuses},
    {"action_tutorials_interfaces/action/Fibonacci_Result",
     &action_tutorials_interfaces__action__Fibonacci_Result__type, prepare_fibonacci},
    {"example_interfaces/srv/AddTwoInts_Request", &example_interfaces__srv__AddTwoInts_Request__type, prepare_nothing},
    {"std_srvs/srv/SetBool_Response", &std_srvs__srv__SetBool_Response__type, prepare_set_bool},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static void prepare(const struct row *row) {
    (void)memset(&message, 0, sizeof(message));
    used_texts = 0;
    row->prepare();
}

/* The memory of a message has its exact size, so that a sanitizer sees each byte beyond it. */
static void check_ends(const struct row *row, const uint8_t *whole, uint32_t size) {
    for (uint32_t end = 0U; end < size; end++) {
        uint8_t *part = malloc((end > 0U) ? end : 1U);
        CHECK(part != NULL);
        (void)memcpy(part, whole, end);
        prepare(row);
        CHECK(saltus_deserialize(row->type, &message, part, end) == SALTUS_TRUNCATED);
        free(part);
    }
}

static void check(const struct row *row, uint8_t *expected, uint32_t size) {
    static uint8_t written[1U << 16];
    uint32_t count = 0U;
    prepare(row);
    CHECK(saltus_deserialize(row->type, &message, expected, size) == SALTUS_OK);
    CHECK(saltus_message_size(row->type, &message) == size);
    CHECK(saltus_serialize(row->type, &message, written, sizeof(written), &count) == SALTUS_OK);
    CHECK((count == size) && (memcmp(written, expected, size) == 0));
    CHECK(saltus_serialize(row->type, &message, written, size - 1U, &count) == SALTUS_TOO_LONG);
    check_ends(row, expected, size);
}

/* Reads bytes in hexadecimal. */
static uint32_t bytes_of(const char *hexadecimal, uint8_t *result) {
    uint32_t count = 0U;
    unsigned int byte;
    while (sscanf(&hexadecimal[2U * count], "%2x", &byte) == 1) {
        result[count] = (uint8_t)byte;
        count++;
    }
    return count;
}

/* Without memory, text and sequences that are not empty are refused, and the rest of the cursor is not used. */
static void check_capacities(void) {
    static uint8_t text_bytes[] = {3U, 0U, 0U, 0U, 'h', 'i', 0U};
    static uint8_t empty_bytes[] = {1U, 0U, 0U, 0U, 0U};
    std_msgs__msg__String string = {{NULL, 0U, 0U}};
    CHECK(saltus_deserialize(&std_msgs__msg__String__type, &string, text_bytes, sizeof(text_bytes)) == SALTUS_CAPACITY);
    CHECK(saltus_deserialize(&std_msgs__msg__String__type, &string, empty_bytes, sizeof(empty_bytes)) ==
          SALTUS_CAPACITY);
    char memory[3];
    string.data = saltus_string_in(memory, sizeof(memory));
    CHECK(saltus_deserialize(&std_msgs__msg__String__type, &string, text_bytes, sizeof(text_bytes)) == SALTUS_OK);
    CHECK((string.data.size == 2U) && (strcmp(memory, "hi") == 0));
}

int main(int count, char **arguments) {
    static char line[1U << 16];
    static char name[256];
    static char hexadecimal[1U << 16];
    static uint8_t expected[1U << 16];
    uint32_t checked = 0U;
    FILE *file = (count == 2) ? fopen(arguments[1], "r") : NULL;
    CHECK(file != NULL);
    while (fgets(line, sizeof(line), file) != NULL) {
        for (size_t i = 0U; i < ROWS; i++) {
            if ((sscanf(line, "%255s %65535s", name, hexadecimal) == 2) && (strcmp(name, rows[i].name) == 0)) {
                /* The first four bytes say how the rest is encoded. */
                const uint32_t size = bytes_of(hexadecimal, expected);
                check(&rows[i], &expected[4], size - 4U);
                checked++;
            }
        }
    }
    (void)fclose(file);
    check_capacities();
    CHECK(checked >= (8U * ROWS));
    (void)printf("vectors: %u messages of %u types passed\n", (unsigned)checked, (unsigned)ROWS);
    return EXIT_SUCCESS;
}
