/* The status of the node: a text on the topic "status", of the type std_msgs/msg/String. */
#ifndef STATUS_H
#define STATUS_H

#include "saltus/typed.h"
#include "std_msgs/msg/string.h"

/** The type of the messages. */
#define STATUS_TYPE ROSIDL_GET_MSG_TYPE_SUPPORT(std_msgs, msg, String)

/** Publishes the status twice a second. */
struct talker
{
  saltus_publisher_t *publisher;
  saltus_timer_t *timer;
  saltus_logger_t *logger;
  std_msgs__msg__String message;
  unsigned long count;
};

/** Creates a talker on a node. All fields must be zero. Destroy it even if this fails. */
saltus_status_t talker_create(struct talker *talker, const saltus_node_t *node);

/** Destroys a talker. All fields may be zero. */
void talker_destroy(struct talker *talker);

/** Returns the options of an endpoint for the status. They refer to `type`, which is set. */
saltus_endpoint_options_t status_endpoint(saltus_type_t *type);

#endif
