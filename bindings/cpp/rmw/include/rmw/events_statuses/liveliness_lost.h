#ifndef RMW_EVENTS_STATUSES_LIVELINESS_LOST_H_
#define RMW_EVENTS_STATUSES_LIVELINESS_LOST_H_

#include <stdint.h>

/** How often a publisher did not assert its liveliness in time. */
typedef struct rmw_liveliness_lost_status_s
{
  int32_t total_count;
  /** The change since the status was read last. */
  int32_t total_count_change;
} rmw_liveliness_lost_status_t;

#endif
