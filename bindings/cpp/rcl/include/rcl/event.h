/** Events of publishers and subscriptions. */
#ifndef RCL_EVENT_H_
#define RCL_EVENT_H_

#include "rcl/client.h"
#include "rcl/event_callback.h"
#include "rcl/macros.h"
#include "rcl/publisher.h"
#include "rcl/service.h"
#include "rcl/subscription.h"
#include "rcl/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rcl_publisher_event_type_e
{
  RCL_PUBLISHER_OFFERED_DEADLINE_MISSED,
  RCL_PUBLISHER_LIVELINESS_LOST,
  RCL_PUBLISHER_OFFERED_INCOMPATIBLE_QOS,
  RCL_PUBLISHER_INCOMPATIBLE_TYPE,
  RCL_PUBLISHER_MATCHED
} rcl_publisher_event_type_t;

typedef enum rcl_subscription_event_type_e
{
  RCL_SUBSCRIPTION_REQUESTED_DEADLINE_MISSED,
  RCL_SUBSCRIPTION_LIVELINESS_CHANGED,
  RCL_SUBSCRIPTION_REQUESTED_INCOMPATIBLE_QOS,
  RCL_SUBSCRIPTION_MESSAGE_LOST,
  RCL_SUBSCRIPTION_INCOMPATIBLE_TYPE,
  RCL_SUBSCRIPTION_MATCHED
} rcl_subscription_event_type_t;

struct rcl_event_impl_s;
typedef struct rcl_event_impl_s rcl_event_impl_t;

typedef struct rcl_event_s
{
  rcl_event_impl_t * impl;
} rcl_event_t;

/** Returns an event that is not initialized. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_event_t rcl_get_zero_initialized_event(void);

#ifdef __cplusplus
}
#endif

#endif
