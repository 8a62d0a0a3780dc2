/** Wait sets. */
#ifndef RCL_WAIT_H_
#define RCL_WAIT_H_

#include <stddef.h>

#include "rcl/client.h"
#include "rcl/event.h"
#include "rcl/guard_condition.h"
#include "rcl/macros.h"
#include "rcl/service.h"
#include "rcl/subscription.h"
#include "rcl/timer.h"
#include "rcl/types.h"
#include "rcl/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rcl_wait_set_impl_s;
typedef struct rcl_wait_set_impl_s rcl_wait_set_impl_t;

/** What is waited for. After waiting, the entries that are not ready are NULL. */
typedef struct rcl_wait_set_s
{
  const rcl_subscription_t ** subscriptions;
  size_t size_of_subscriptions;
  const rcl_guard_condition_t ** guard_conditions;
  size_t size_of_guard_conditions;
  const rcl_timer_t ** timers;
  size_t size_of_timers;
  const rcl_client_t ** clients;
  size_t size_of_clients;
  const rcl_service_t ** services;
  size_t size_of_services;
  const rcl_event_t ** events;
  size_t size_of_events;
  rcl_wait_set_impl_t * impl;
} rcl_wait_set_t;

/** Returns a wait set that is not initialized. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_wait_set_t rcl_get_zero_initialized_wait_set(void);

#ifdef __cplusplus
}
#endif

#endif
