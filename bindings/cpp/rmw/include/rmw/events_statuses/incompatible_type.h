#ifndef RMW_EVENTS_STATUSES_INCOMPATIBLE_TYPE_H_
#define RMW_EVENTS_STATUSES_INCOMPATIBLE_TYPE_H_

#include <stdint.h>

/** Publishers or subscriptions of the topic with another type. */
typedef struct rmw_incompatible_type_status_s
{
  /** How many there were. */
  int32_t total_count;
  /** How many of them are new since the status was read last. */
  int32_t total_count_change;
} rmw_incompatible_type_status_t;

#endif
