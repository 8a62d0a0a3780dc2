/* The status of the node: a text on the topic "status", of the type std_msgs/msg/String. */
#ifndef STATUS_H
#define STATUS_H

#include "saltus/saltus.h"

/** Publishes the status twice a second. */
struct talker
{
  saltus_publisher_t *publisher;
  saltus_timer_t *timer;
  saltus_logger_t *logger;
  unsigned long count;
};

/** Creates a talker on a node. Destroy it even if this fails. */
saltus_status_t talker_create(struct talker *talker, const saltus_node_t *node);

/** Destroys a talker. All fields may be zero. */
void talker_destroy(struct talker *talker);

/** Returns the options of an endpoint for the status. */
saltus_endpoint_options_t status_endpoint(void);

/** Serializes a text as a message. Returns how many bytes it has, or 0 if they are more than `size`. */
size_t status_write(uint8_t *data, size_t size, const char *text);

/** Returns the text of a message, which is valid as long as the message, or NULL if the bytes are not those of a text. */
const char *status_read(const uint8_t *data, size_t size);

#endif
