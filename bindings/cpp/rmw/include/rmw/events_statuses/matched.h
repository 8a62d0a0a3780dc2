#ifndef RMW_EVENTS_STATUSES_MATCHED_H_
#define RMW_EVENTS_STATUSES_MATCHED_H_

#include <stddef.h>
#include <stdint.h>

/** Publishers or subscriptions that match. */
typedef struct rmw_matched_status_s
{
  /** How many ever matched. */
  size_t total_count;
  /** How many of them are new since the status was read last. */
  size_t total_count_change;
  /** How many match now. */
  size_t current_count;
  /** The change of current_count since the status was read last. */
  int32_t current_count_change;
} rmw_matched_status_t;

#endif
