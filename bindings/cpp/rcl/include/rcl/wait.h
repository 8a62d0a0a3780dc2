/** Wait sets. */
#ifndef RCL_WAIT_H_
#define RCL_WAIT_H_

#include <stdbool.h>
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

/* The functions below fill a wait set. rclcpp waits for what is in it; there is no rcl_wait(). */

/** Makes room for so many entities. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_wait_set_init(
  rcl_wait_set_t * wait_set, size_t number_of_subscriptions, size_t number_of_guard_conditions, size_t number_of_timers,
  size_t number_of_clients, size_t number_of_services, size_t number_of_events, rcl_context_t * context,
  rcl_allocator_t allocator);
/** Frees a wait set. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_wait_set_fini(rcl_wait_set_t * wait_set);
/** Returns true if a wait set is initialized. */
RCL_PUBLIC bool rcl_wait_set_is_valid(const rcl_wait_set_t * wait_set);
/** Removes all entities. The room stays. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_wait_set_clear(rcl_wait_set_t * wait_set);
/** Removes all entities, and makes room for so many others. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_wait_set_resize(
  rcl_wait_set_t * wait_set, size_t subscriptions_size, size_t guard_conditions_size, size_t timers_size,
  size_t clients_size, size_t services_size, size_t events_size);
/** Adds an entity. `index`, which may be NULL, becomes its place. So do the others. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_wait_set_add_subscription(
  rcl_wait_set_t * wait_set, const rcl_subscription_t * subscription, size_t * index);
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_wait_set_add_guard_condition(
  rcl_wait_set_t * wait_set, const rcl_guard_condition_t * guard_condition, size_t * index);
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_wait_set_add_timer(
  rcl_wait_set_t * wait_set, const rcl_timer_t * timer, size_t * index);
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_wait_set_add_client(
  rcl_wait_set_t * wait_set, const rcl_client_t * client, size_t * index);
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_wait_set_add_service(
  rcl_wait_set_t * wait_set, const rcl_service_t * service, size_t * index);
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_wait_set_add_event(
  rcl_wait_set_t * wait_set, const rcl_event_t * event, size_t * index);

#ifdef __cplusplus
}
#endif

#endif
