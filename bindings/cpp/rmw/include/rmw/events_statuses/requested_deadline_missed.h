#ifndef RMW_EVENTS_STATUSES_REQUESTED_DEADLINE_MISSED_H_
#define RMW_EVENTS_STATUSES_REQUESTED_DEADLINE_MISSED_H_

#include <stdint.h>

/** How often no message arrived within the deadline of a subscription. */
typedef struct rmw_requested_deadline_missed_status_s
{
  int32_t total_count;
  /** The change since the status was read last. */
  int32_t total_count_change;
} rmw_requested_deadline_missed_status_t;

#endif
