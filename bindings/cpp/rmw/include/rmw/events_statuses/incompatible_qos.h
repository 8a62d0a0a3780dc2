#ifndef RMW_EVENTS_STATUSES_INCOMPATIBLE_QOS_H_
#define RMW_EVENTS_STATUSES_INCOMPATIBLE_QOS_H_

#include <stdint.h>

#include "rmw/qos_policy_kind.h"

/** Publishers or subscriptions whose QoS does not match. */
typedef struct rmw_qos_incompatible_event_status_s
{
  /** How many there were. */
  int32_t total_count;
  /** How many of them are new since the status was read last. */
  int32_t total_count_change;
  /** The policy that did not match the last time. */
  rmw_qos_policy_kind_t last_policy_kind;
} rmw_qos_incompatible_event_status_t;

typedef rmw_qos_incompatible_event_status_t rmw_requested_qos_incompatible_event_status_t;
typedef rmw_qos_incompatible_event_status_t rmw_offered_qos_incompatible_event_status_t;

#endif
