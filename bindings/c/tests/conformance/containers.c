/* The containers of the subject. A command of the suite creates one. */
#include "std_msgs/msg/u_int64.h"
#include "subject.h"

/** A component: publishes its parameter `factor` for late subscriptions. */
struct factor
{
  saltus_node_t *node;
  saltus_publisher_t *factors;
};

/** A container. It lasts as long as the program. */
struct container
{
  saltus_node_t *node;
  saltus_container_t *container;
};

static const rosidl_message_type_support_t *number_type(void)
{
  return ROSIDL_GET_MSG_TYPE_SUPPORT(std_msgs, msg, UInt64);
}

static void destroy_factor(void *object)
{
  struct factor *factor = object;
  saltus_publisher_destroy(factor->factors);
  saltus_node_destroy(factor->node);
  free(factor);
}

static saltus_status_t open_node(const saltus_component_options_t *options, const char *name, saltus_node_t **node)
{
  saltus_node_options_t node_options;
  saltus_node_options_init(&node_options, sizeof node_options);
  node_options.name = name;
  return saltus_component_node_create(options, &node_options, node);
}

/** Returns the value of the parameter. */
static uint64_t declare_factor(saltus_node_t *node)
{
  const saltus_value_t two = {.struct_size = sizeof two, .type = SALTUS_PARAMETER_INTEGER, .integer = 2};
  saltus_parameter_result_t *result;
  OK(saltus_node_declare_parameter(node, "factor", &two, NULL, false, &result));
  const int64_t value = saltus_parameter_result_value(result)->integer;
  saltus_parameter_result_destroy(result);
  return (uint64_t)value;
}

static saltus_publisher_t *open_factors(saltus_node_t *node)
{
  const saltus_type_t type = saltus_type_of_message(number_type());
  saltus_endpoint_options_t options;
  saltus_publisher_t *publisher;
  saltus_qos_t qos;
  saltus_qos_init(&qos, sizeof qos);
  qos.depth = 1;
  qos.durability = SALTUS_DURABILITY_TRANSIENT_LOCAL;
  saltus_endpoint_options_init(&options, sizeof options);
  options.topic = "factor";
  options.type = &type;
  options.qos = &qos;
  OK(saltus_publisher_create(node, &options, &publisher));
  return publisher;
}

static saltus_status_t create_factor(void *context, const saltus_component_options_t *options, saltus_component_t *component)
{
  struct factor *factor = allocate(sizeof *factor);
  const saltus_status_t status = open_node(options, "factor", &factor->node);
  (void)context;
  if (status != SALTUS_OK) {
    free(factor);
    return status;
  }
  const std_msgs__msg__UInt64 number = {declare_factor(factor->node)};
  factor->factors = open_factors(factor->node);
  OK(saltus_typed_publish(number_type(), factor->factors, &number));
  component->node = factor->node;
  component->object = factor;
  component->destroy = destroy_factor;
  return SALTUS_OK;
}

/** A component that can't be created. */
static saltus_status_t create_faulty(void *context, const saltus_component_options_t *options, saltus_component_t *component)
{
  saltus_node_t *node;
  (void)context;
  (void)component;
  OK(open_node(options, "faulty", &node));
  saltus_node_destroy(node);
  saltus_set_error_message("the device is missing");
  return SALTUS_ERROR;
}

static void create(struct subject *subject, const char *const *words, response_t *response)
{
  struct container *container = allocate(sizeof *container);
  saltus_node_options_t options;
  saltus_node_options_init(&options, sizeof options);
  options.name = words[1];
  OK(saltus_node_create(subject->context, &options, &container->node));
  OK(saltus_container_create(container->node, subject->executor, NULL, &container->container));
  OK(saltus_container_add(container->container, "suite", "suite::Factor", create_factor, NULL, NULL));
  OK(saltus_container_add(container->container, "suite", "suite::Faulty", create_faulty, NULL, NULL));
  OK(saltus_executor_add_node(subject->executor, container->node));
  succeed(response, "");
}

const struct command CONTAINER_COMMANDS[] = {{"container", 2, create}, {NULL, 0, NULL}};
