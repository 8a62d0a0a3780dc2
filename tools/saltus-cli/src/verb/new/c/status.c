/* The status of the node, and its serialized form. */
#include "status.h"

#include <stdio.h>
#include <string.h>

/*
 * A text is serialized as CDR, as in ROS 2: 4 bytes that say how (0, 1, 0, 0: little-endian CDR), 4 bytes with the length of
 * the text, its bytes, and a zero byte, which the length includes.
 */
enum { HEADER_SIZE = 8 };

size_t status_write(uint8_t *data, size_t size, const char *text)
{
  const size_t length = strlen(text) + 1;
  if (size < HEADER_SIZE || length > size - HEADER_SIZE) {
    return 0;
  }
  memcpy(data, "\0\1\0\0", 4);
  for (int i = 0; i < 4; ++i) {
    data[4 + i] = (uint8_t)(length >> (8 * i));
  }
  memcpy(data + HEADER_SIZE, text, length);
  return HEADER_SIZE + length;
}

const char *status_read(const uint8_t *data, size_t size)
{
  uint32_t length = 0;
  if (size < HEADER_SIZE || memcmp(data, "\0\1", 2) != 0) {
    return NULL;
  }
  for (int i = 0; i < 4; ++i) {
    length |= (uint32_t)data[4 + i] << (8 * i);
  }
  if (length == 0 || length > size - HEADER_SIZE || data[HEADER_SIZE + length - 1] != 0) {
    return NULL;
  }
  return (const char *)data + HEADER_SIZE;
}

saltus_endpoint_options_t status_endpoint(void)
{
  /* The library copies what it gets, but the type must be there until then. */
  static const saltus_type_t type = {sizeof type, "std_msgs/msg/String", {0}, NULL};
  saltus_endpoint_options_t options;
  saltus_endpoint_options_init(&options, sizeof options);
  options.topic = "status";
  options.type = &type;
  return options;
}

static saltus_next_t publish_status(void *context)
{
  struct talker *talker = context;
  char text[40];
  char line[80];
  uint8_t data[80];
  snprintf(text, sizeof text, "step %lu", ++talker->count);
  snprintf(line, sizeof line, "publishing '%s'", text);
  saltus_log(talker->logger, SALTUS_SEVERITY_INFO, __FILE__, __func__, __LINE__, line);
  if (saltus_publish(talker->publisher, data, status_write(data, sizeof data, text)) != SALTUS_OK) {
    saltus_log(talker->logger, SALTUS_SEVERITY_ERROR, __FILE__, __func__, __LINE__, saltus_error_message());
  }
  return SALTUS_CONTINUE;
}

saltus_status_t talker_create(struct talker *talker, const saltus_node_t *node)
{
  const int64_t period = 500 * 1000 * 1000;
  const saltus_endpoint_options_t options = status_endpoint();
  saltus_status_t status = saltus_node_logger(node, &talker->logger);
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
}
