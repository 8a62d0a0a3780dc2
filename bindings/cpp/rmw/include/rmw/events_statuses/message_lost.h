#ifndef RMW_EVENTS_STATUSES_MESSAGE_LOST_H_
#define RMW_EVENTS_STATUSES_MESSAGE_LOST_H_

#include <stddef.h>

/** Messages that did not arrive. */
typedef struct rmw_message_lost_status_s
{
  size_t total_count;
  /** The change since the status was read last. */
  size_t total_count_change;
} rmw_message_lost_status_t;

#endif
