/* A program in C that uses messages: C99, with the headers of all interfaces. */
#include <stdint.h>
#include <string.h>

#include "all_messages.h"
#include "rmw/rmw.h"
#include "rosidl_runtime_c/primitives_sequence_functions.h"
#include "rosidl_runtime_c/string_functions.h"
#include "saltus/typed.h"

const char * use_messages(void);

#define TEXT_OF(line) #line
#define LINE_TEXT(line) TEXT_OF(line)
/** Returns from the function with the line, unless the condition holds. */
#define CHECK(condition) \
  if (!(condition)) { \
    return "use_messages.c:" LINE_TEXT(__LINE__) ": " #condition; \
  }

static const char * defaults_and_constants(void)
{
  rcl_interfaces__msg__ParameterDescriptor descriptor;
  simulation_interfaces__srv__StepSimulation_Request * step = simulation_interfaces__srv__StepSimulation_Request__create();
  CHECK(step && step->steps == 1);
  simulation_interfaces__srv__StepSimulation_Request__destroy(step);
  CHECK(rcl_interfaces__msg__ParameterDescriptor__init(&descriptor));
  CHECK(!descriptor.read_only && descriptor.name.size == 0 && strcmp(descriptor.name.data, "") == 0);
  rcl_interfaces__msg__ParameterDescriptor__fini(&descriptor);
  CHECK(sensor_msgs__msg__PointField__FLOAT32 == 7);
  CHECK(rcl_interfaces__msg__ParameterDescriptor__integer_range__MAX_SIZE == 1);
  CHECK(type_description_interfaces__msg__IndividualTypeDescription__type_name__MAX_STRING_SIZE == 255);
  CHECK(!std_msgs__msg__String__init(NULL) && !std_msgs__msg__String__copy(NULL, NULL));
  std_msgs__msg__String__fini(NULL);
  return NULL;
}

static const char * sequences(void)
{
  geometry_msgs__msg__Polygon from, to;
  geometry_msgs__msg__Point32__Sequence * points;
  CHECK(geometry_msgs__msg__Polygon__init(&from) && geometry_msgs__msg__Polygon__init(&to));
  CHECK(geometry_msgs__msg__Point32__Sequence__init(&from.points, 3));
  CHECK(from.points.size == 3 && from.points.capacity == 3);
  from.points.data[2].z = 1.5f;
  CHECK(!geometry_msgs__msg__Polygon__are_equal(&from, &to));
  CHECK(geometry_msgs__msg__Polygon__copy(&from, &to) && geometry_msgs__msg__Polygon__are_equal(&from, &to));
  CHECK(from.points.data != to.points.data);
  /* Fewer elements stay in the same memory. */
  from.points.size = 1;
  CHECK(geometry_msgs__msg__Polygon__copy(&from, &to) && to.points.size == 1 && to.points.capacity == 3);
  geometry_msgs__msg__Polygon__fini(&from);
  geometry_msgs__msg__Polygon__fini(&to);
  CHECK(from.points.data == NULL && from.points.size == 0);
  points = geometry_msgs__msg__Point32__Sequence__create(2);
  CHECK(points && points->size == 2);
  geometry_msgs__msg__Point32__Sequence__destroy(points);
  CHECK(geometry_msgs__msg__Point32__Sequence__create(SIZE_MAX) == NULL);
  return NULL;
}

static const char * bytes(void)
{
  const rosidl_message_type_support_t * support = ROSIDL_GET_MSG_TYPE_SUPPORT(diagnostic_msgs, msg, KeyValue);
  rcutils_allocator_t allocator = rcutils_get_default_allocator();
  rmw_serialized_message_t serialized = rmw_get_zero_initialized_serialized_message();
  diagnostic_msgs__msg__KeyValue written, read;
  static const uint8_t expected[] = {0, 1, 0, 0, 2, 0, 0, 0, 'a', 0, 0, 0, 3, 0, 0, 0, 'b', 'c', 0};
  CHECK(diagnostic_msgs__msg__KeyValue__init(&written) && diagnostic_msgs__msg__KeyValue__init(&read));
  CHECK(rosidl_runtime_c__String__assign(&written.key, "a") && rosidl_runtime_c__String__assign(&written.value, "bc"));
  CHECK(rmw_serialized_message_init(&serialized, 0, &allocator) == RMW_RET_OK);
  CHECK(rmw_serialize(&written, support, &serialized) == RMW_RET_OK);
  CHECK(serialized.buffer_length == sizeof(expected) && memcmp(serialized.buffer, expected, sizeof(expected)) == 0);
  CHECK(rmw_deserialize(&serialized, support, &read) == RMW_RET_OK);
  CHECK(diagnostic_msgs__msg__KeyValue__are_equal(&written, &read));
  serialized.buffer_length -= 1;
  CHECK(rmw_deserialize(&serialized, support, &read) == RMW_RET_ERROR);
  rmw_reset_error();
  diagnostic_msgs__msg__KeyValue__fini(&written);
  diagnostic_msgs__msg__KeyValue__fini(&read);
  CHECK(rmw_serialized_message_fini(&serialized) == RMW_RET_OK);
  return NULL;
}

static const char * bounds(void)
{
  const rosidl_message_type_support_t * support = ROSIDL_GET_MSG_TYPE_SUPPORT(shape_msgs, msg, SolidPrimitive);
  rcutils_allocator_t allocator = rcutils_get_default_allocator();
  rmw_serialized_message_t serialized = rmw_get_zero_initialized_serialized_message();
  shape_msgs__msg__SolidPrimitive primitive;
  CHECK(shape_msgs__msg__SolidPrimitive__init(&primitive));
  CHECK(rosidl_runtime_c__double__Sequence__init(&primitive.dimensions, 4));
  CHECK(rmw_serialized_message_init(&serialized, 0, &allocator) == RMW_RET_OK);
  CHECK(rmw_serialize(&primitive, support, &serialized) == RMW_RET_ERROR);
  CHECK(strstr(rmw_get_error_string().str, "the field 'dimensions' exceeds its bound") != NULL);
  rmw_reset_error();
  shape_msgs__msg__SolidPrimitive__fini(&primitive);
  CHECK(rmw_serialized_message_fini(&serialized) == RMW_RET_OK);
  return NULL;
}

static const char * services_and_actions(void)
{
  const rosidl_service_type_support_t * service = ROSIDL_GET_SRV_TYPE_SUPPORT(std_srvs, srv, SetBool);
  const rosidl_action_type_support_t * action = ROSIDL_GET_ACTION_TYPE_SUPPORT(example_interfaces, Fibonacci);
  CHECK(service->request_typesupport == ROSIDL_GET_MSG_TYPE_SUPPORT(std_srvs, srv, SetBool_Request));
  CHECK(strcmp(service->typesupport_identifier, "rosidl_typesupport_c") == 0);
  CHECK(action->cancel_service_type_support == ROSIDL_GET_SRV_TYPE_SUPPORT(action_msgs, srv, CancelGoal));
  CHECK(action->goal_service_type_support ==
    ROSIDL_GET_SRV_TYPE_SUPPORT(example_interfaces, action, Fibonacci_SendGoal));
  return NULL;
}

/** The functions of saltus/typed.h refuse what they can't use. The conformance suite has a subject that works with them. */
static const char * typed(void)
{
  const rosidl_message_type_support_t * support = ROSIDL_GET_MSG_TYPE_SUPPORT(shape_msgs, msg, SolidPrimitive);
  shape_msgs__msg__SolidPrimitive primitive;
  uint8_t * written = NULL;
  size_t size = 0;
  CHECK(strcmp(saltus_type_of_message(support).name, "shape_msgs/msg/SolidPrimitive") == 0);
  CHECK(strcmp(saltus_type_of_service(ROSIDL_GET_SRV_TYPE_SUPPORT(std_srvs, srv, SetBool)).name, "std_srvs/srv/SetBool") == 0);
  CHECK(saltus_type_of_message(NULL).name == NULL);
  CHECK(strcmp(saltus_error_message(), "expected the type support of a message in C") == 0);
  CHECK(saltus_type_of_service(NULL).name == NULL);
  CHECK(strcmp(saltus_error_message(), "expected the type support of a service in C") == 0);
  CHECK(shape_msgs__msg__SolidPrimitive__init(&primitive));
  CHECK(saltus_typed_write(NULL, &primitive, &written, &size) == SALTUS_INVALID_ARGUMENT);
  CHECK(saltus_typed_write(support, NULL, &written, &size) == SALTUS_INVALID_ARGUMENT);
  CHECK(saltus_typed_publish(support, NULL, &primitive) == SALTUS_INVALID_ARGUMENT);
  CHECK(saltus_typed_write(support, &primitive, &written, &size) == SALTUS_OK);
  CHECK(saltus_typed_read(support, written, size, &primitive) == SALTUS_OK);
  CHECK(saltus_typed_read(support, written, size - 1, &primitive) == SALTUS_UNREADABLE);
  CHECK(strcmp(saltus_error_message(), "") != 0);
  CHECK(saltus_typed_read(support, NULL, 0, &primitive) == SALTUS_INVALID_ARGUMENT);
  free(written);
  CHECK(rosidl_runtime_c__double__Sequence__init(&primitive.dimensions, 4));
  CHECK(saltus_typed_write(support, &primitive, &written, &size) == SALTUS_INVALID_ARGUMENT);
  CHECK(strcmp(saltus_error_message(), "the field 'dimensions' exceeds its bound") == 0);
  CHECK(saltus_typed_publish(support, NULL, &primitive) == SALTUS_INVALID_ARGUMENT);
  shape_msgs__msg__SolidPrimitive__fini(&primitive);
  return NULL;
}

const char * use_messages(void)
{
  const char * (* const parts[])(void) = {
    defaults_and_constants, sequences, bytes, bounds, services_and_actions, typed};
  size_t index;
  for (index = 0; index < sizeof(parts) / sizeof(parts[0]); ++index) {
    const char * wrong = parts[index]();
    if (wrong) {
      return wrong;
    }
  }
  return NULL;
}
