/* The node that publishes its status. */
#include "status.h"

#include <stdio.h>

#include "rosidl_runtime_c/string_functions.h"

saltus_endpoint_options_t status_endpoint(saltus_type_t *type)
{
  saltus_endpoint_options_t options;
  *type = saltus_type_of_message(STATUS_TYPE);
  saltus_endpoint_options_init(&options, sizeof options);
  options.topic = "status";
  options.type = type;
  return options;
}

static saltus_next_t publish_status(void *context)
{
  struct talker *talker = context;
  char text[40];
  char line[80];
  snprintf(text, sizeof text, "step %lu", ++talker->count);
  snprintf(line, sizeof line, "publishing '%s'", text);
  saltus_log(talker->logger, SALTUS_SEVERITY_INFO, __FILE__, __func__, __LINE__, line);
  if (!rosidl_runtime_c__String__assign(&talker->message.data, text)) {
    saltus_log(talker->logger, SALTUS_SEVERITY_ERROR, __FILE__, __func__, __LINE__, "there is not enough memory");
  } else if (saltus_typed_publish(STATUS_TYPE, talker->publisher, &talker->message) != SALTUS_OK) {
    saltus_log(talker->logger, SALTUS_SEVERITY_ERROR, __FILE__, __func__, __LINE__, saltus_error_message());
  }
  return SALTUS_CONTINUE;
}

saltus_status_t talker_create(struct talker *talker, const saltus_node_t *node)
{
  const int64_t period = 500 * 1000 * 1000;
  saltus_type_t type;
  const saltus_endpoint_options_t options = status_endpoint(&type);
  saltus_status_t status;
  if (!std_msgs__msg__String__init(&talker->message)) {
    saltus_set_error_message("there is not enough memory");
    return SALTUS_OUT_OF_MEMORY;
  }
  status = saltus_node_logger(node, &talker->logger);
  if (status == SALTUS_OK) {
    status = saltus_publisher_create(node, &options, &talker->publisher);
  }
  if (status == SALTUS_OK) {
    status = saltus_timer_create(node, period, NULL, NULL, publish_status, talker, NULL, &talker->timer);
  }
  return status;
}

void talker_destroy(struct talker *talker)
{
  saltus_timer_destroy(talker->timer);
  saltus_publisher_destroy(talker->publisher);
  saltus_logger_destroy(talker->logger);
  std_msgs__msg__String__fini(&talker->message);
}
