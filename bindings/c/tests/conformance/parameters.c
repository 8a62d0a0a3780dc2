/* The parameters of the subject. */
#include "subject.h"

static saltus_value_t integer(int64_t number)
{
  saltus_value_t value = {.struct_size = sizeof value, .type = SALTUS_PARAMETER_INTEGER, .integer = number};
  return value;
}

static saltus_value_t text(const char *characters)
{
  saltus_value_t value = {.struct_size = sizeof value, .type = SALTUS_PARAMETER_STRING, .text = characters};
  return value;
}

static void declare_one(
  struct subject *subject, const char *name, const saltus_value_t *value, const saltus_descriptor_t *descriptor)
{
  saltus_parameter_result_t *result;
  OK(saltus_node_declare_parameter(subject->node, name, value, descriptor, false, &result));
  saltus_parameter_result_destroy(result);
}

static saltus_descriptor_t new_descriptor(void)
{
  saltus_descriptor_t descriptor;
  saltus_descriptor_init(&descriptor, sizeof descriptor);
  return descriptor;
}

static const char *refuse_seven(void *context, const saltus_parameter_t *parameters, size_t count)
{
  (void)context;
  for (size_t index = 0; index < count; ++index) {
    const saltus_value_t *value = parameters[index].value;
    if (strcmp(parameters[index].name, "count") == 0 && value->type == SALTUS_PARAMETER_INTEGER && value->integer == 7) {
      return "seven is not allowed";
    }
  }
  return NULL;
}

void declare_parameters(struct subject *subject)
{
  const saltus_value_t rate = {.struct_size = sizeof rate, .type = SALTUS_PARAMETER_DOUBLE, .real = 10};
  const saltus_value_t five = integer(5), one = integer(1), serial = text("X1"), elbow = text("elbow");
  saltus_parameter_callback_t *callback;
  saltus_descriptor_t descriptor = new_descriptor();
  descriptor.description = "how often";
  descriptor.has_real_range = 1;
  descriptor.real_to = 100;
  descriptor.real_step = 0.5;
  declare_one(subject, "rate", &rate, &descriptor);
  descriptor = new_descriptor();
  descriptor.has_integer_range = 1;
  descriptor.integer_to = 10;
  declare_one(subject, "count", &five, &descriptor);
  descriptor = new_descriptor();
  descriptor.read_only = 1;
  declare_one(subject, "serial", &serial, &descriptor);
  descriptor = new_descriptor();
  descriptor.dynamic_typing = 1;
  declare_one(subject, "free", &one, &descriptor);
  descriptor = new_descriptor();
  descriptor.type = SALTUS_PARAMETER_BOOL;
  declare_one(subject, "unset", NULL, &descriptor);
  declare_one(subject, "arm.joint.name", &elbow, NULL);
  OK(saltus_node_on_set(subject->node, refuse_seven, NULL, NULL, &callback));
}

static void declare(struct subject *subject, const char *const *words, response_t *response)
{
  const saltus_value_t one = integer(1);
  saltus_parameter_result_t *result;
  const saltus_status_t status = saltus_node_declare_parameter(subject->node, words[1], &one, NULL, false, &result);
  respond_with(response, status);
  if (status == SALTUS_OK) {
    saltus_parameter_result_destroy(result);
  }
}

static void get(struct subject *subject, const char *const *words, response_t *response)
{
  saltus_parameter_result_t *result;
  const saltus_status_t status = saltus_node_get_parameter(subject->node, words[1], &result);
  if (status != SALTUS_OK) {
    respond_with(response, status);
    return;
  }
  const saltus_value_t *value = saltus_parameter_result_value(result);
  char digits[64];
  switch (value->type) {
    case SALTUS_PARAMETER_BOOL: succeed(response, value->boolean ? "true" : "false"); break;
    case SALTUS_PARAMETER_STRING: succeed(response, value->text); break;
    case SALTUS_PARAMETER_DOUBLE:
      snprintf(digits, sizeof digits, "%g", value->real);
      succeed(response, digits);
      break;
    default:
      snprintf(digits, sizeof digits, "%lld", (long long)value->integer);
      succeed(response, digits);
      break;
  }
  saltus_parameter_result_destroy(result);
}

static void set(struct subject *subject, const char *const *words, response_t *response)
{
  const saltus_value_t value = integer(strtoll(words[2], NULL, 10));
  const saltus_parameter_t parameter = {words[1], &value};
  respond_with(response, saltus_node_set_parameters(subject->node, &parameter, 1));
}

static void undeclare(struct subject *subject, const char *const *words, response_t *response)
{
  respond_with(response, saltus_node_undeclare_parameter(subject->node, words[1]));
}

const struct command PARAMETER_COMMANDS[] = {
  {"declare", 2, declare}, {"get", 2, get}, {"set", 3, set}, {"undeclare", 2, undeclare}, {NULL, 0, NULL}};
