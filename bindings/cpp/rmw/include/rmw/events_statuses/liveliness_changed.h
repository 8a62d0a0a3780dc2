#ifndef RMW_EVENTS_STATUSES_LIVELINESS_CHANGED_H_
#define RMW_EVENTS_STATUSES_LIVELINESS_CHANGED_H_

#include <stdint.h>

/** Publishers of a subscription that came alive or are not alive any more. */
typedef struct rmw_liveliness_changed_status_s
{
  int32_t alive_count;
  int32_t not_alive_count;
  /** The change of alive_count since the status was read last. */
  int32_t alive_count_change;
  /** The change of not_alive_count since the status was read last. */
  int32_t not_alive_count_change;
} rmw_liveliness_changed_status_t;

#endif
