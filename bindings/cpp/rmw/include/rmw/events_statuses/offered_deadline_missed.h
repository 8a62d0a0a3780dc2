#ifndef RMW_EVENTS_STATUSES_OFFERED_DEADLINE_MISSED_H_
#define RMW_EVENTS_STATUSES_OFFERED_DEADLINE_MISSED_H_

#include <stdint.h>

/** How often a publisher did not publish within its deadline. */
typedef struct rmw_offered_deadline_missed_status_s
{
  int32_t total_count;
  /** The change since the status was read last. */
  int32_t total_count_change;
} rmw_offered_deadline_missed_status_t;

#endif
