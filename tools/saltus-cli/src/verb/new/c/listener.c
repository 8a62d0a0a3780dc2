/* Prints what the talker publishes, until Ctrl-C. */
#include <stdio.h>

#include "status.h"

static saltus_next_t on_status(void *context, saltus_message_t *message)
{
  const saltus_logger_t *logger = context;
  std_msgs__msg__String status;
  char line[200] = "received a message that is not a text";
  uint8_t severity = SALTUS_SEVERITY_WARN;
  if (!std_msgs__msg__String__init(&status)) {
    return SALTUS_CONTINUE;
  }
  if (saltus_typed_read(STATUS_TYPE, saltus_message_data(message), saltus_message_size(message), &status) == SALTUS_OK) {
    snprintf(line, sizeof line, "received '%s'", status.data.data);
    severity = SALTUS_SEVERITY_INFO;
  }
  saltus_log(logger, severity, __FILE__, __func__, __LINE__, line);
  std_msgs__msg__String__fini(&status);
  return SALTUS_CONTINUE;
}

int main(int argc, char *argv[])
{
  saltus_type_t type;
  const saltus_endpoint_options_t endpoint = status_endpoint(&type);
  saltus_context_options_t options;
  saltus_node_options_t node_options;
  saltus_context_t *context = NULL;
  saltus_node_t *node = NULL;
  saltus_logger_t *logger = NULL;
  saltus_subscription_t *subscription = NULL;
  saltus_executor_t *executor = NULL;
  saltus_context_options_init(&options, sizeof options);
  options.argument_count = (size_t)argc;
  options.arguments = (const char *const *)argv;
  saltus_node_options_init(&node_options, sizeof node_options);
  node_options.name = "@name@_listener";

  const bool succeeded = saltus_context_create(&options, &context) == SALTUS_OK &&
    saltus_node_create(context, &node_options, &node) == SALTUS_OK &&
    saltus_node_logger(node, &logger) == SALTUS_OK &&
    saltus_subscription_create_with_callback(node, &endpoint, on_status, logger, NULL, &subscription) == SALTUS_OK &&
    saltus_executor_create(context, NULL, &executor) == SALTUS_OK &&
    saltus_executor_add_node(executor, node) == SALTUS_OK &&
    saltus_executor_spin(executor) == SALTUS_OK;
  if (!succeeded) {
    fprintf(stderr, "listener: %s\n", saltus_error_message());
  }
  saltus_executor_destroy(executor);
  saltus_subscription_destroy(subscription);
  saltus_logger_destroy(logger);
  saltus_node_destroy(node);
  saltus_context_destroy(context);
  return succeeded ? 0 : 1;
}
