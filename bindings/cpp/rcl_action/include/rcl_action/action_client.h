#ifndef RCL_ACTION_ACTION_CLIENT_H_
#define RCL_ACTION_ACTION_CLIENT_H_

#include "rcl/allocator.h"
#include "rcl/event_callback.h"
#include "rcl/macros.h"
#include "rcl/node.h"
#include "rcl/time.h"
#include "rcl_action/types.h"
#include "rcl_action/visibility_control.h"
#include "rosidl_runtime_c/action_type_support_struct.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rcl_action_client_impl_s;
typedef struct rcl_action_client_impl_s rcl_action_client_impl_t;

/** The client of an action. */
typedef struct rcl_action_client_s
{
  rcl_action_client_impl_t * impl;
} rcl_action_client_t;

typedef struct rcl_action_client_options_s
{
  rmw_qos_profile_t goal_service_qos;
  rmw_qos_profile_t result_service_qos;
  rmw_qos_profile_t cancel_service_qos;
  rmw_qos_profile_t feedback_topic_qos;
  rmw_qos_profile_t status_topic_qos;
  rcl_allocator_t allocator;
} rcl_action_client_options_t;

/** Returns a client that is not initialized. */
RCL_ACTION_PUBLIC RCL_WARN_UNUSED rcl_action_client_t rcl_action_get_zero_initialized_client(void);

/** Returns options with the defaults. */
RCL_ACTION_PUBLIC RCL_WARN_UNUSED rcl_action_client_options_t rcl_action_client_get_default_options(void);

#ifdef __cplusplus
}
#endif

#endif
