#ifndef RCL_ACTION_ACTION_SERVER_H_
#define RCL_ACTION_ACTION_SERVER_H_

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

struct rcl_action_server_impl_s;
typedef struct rcl_action_server_impl_s rcl_action_server_impl_t;

/** The server of an action. */
typedef struct rcl_action_server_s
{
  rcl_action_server_impl_t * impl;
} rcl_action_server_t;

typedef struct rcl_action_server_options_s
{
  rmw_qos_profile_t goal_service_qos;
  rmw_qos_profile_t cancel_service_qos;
  rmw_qos_profile_t result_service_qos;
  rmw_qos_profile_t feedback_topic_qos;
  rmw_qos_profile_t status_topic_qos;
  rcl_allocator_t allocator;
  /** How long the result of a goal is kept after its end; negative for ever. */
  rcl_duration_t result_timeout;
} rcl_action_server_options_t;

/** Returns a server that is not initialized. */
RCL_ACTION_PUBLIC RCL_WARN_UNUSED rcl_action_server_t rcl_action_get_zero_initialized_server(void);

/** Returns options with the defaults. The timeout is 10 seconds. */
RCL_ACTION_PUBLIC RCL_WARN_UNUSED rcl_action_server_options_t rcl_action_server_get_default_options(void);

#ifdef __cplusplus
}
#endif

#endif
