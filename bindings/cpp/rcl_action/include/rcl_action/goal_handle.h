/** The goals of a server. */
#ifndef RCL_ACTION_GOAL_HANDLE_H_
#define RCL_ACTION_GOAL_HANDLE_H_

#include <stdbool.h>

#include "rcl/allocator.h"
#include "rcl_action/goal_state_machine.h"
#include "rcl_action/types.h"
#include "rcl_action/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rcl_action_goal_handle_impl_s;
typedef struct rcl_action_goal_handle_impl_s rcl_action_goal_handle_impl_t;

/** A goal that was accepted. */
typedef struct rcl_action_goal_handle_s
{
  rcl_action_goal_handle_impl_t * impl;
} rcl_action_goal_handle_t;

/** Returns a handle that is not initialized. */
RCL_ACTION_PUBLIC RCL_WARN_UNUSED rcl_action_goal_handle_t rcl_action_get_zero_initialized_goal_handle(void);

/** Makes a goal in the state ACCEPTED; RCL_RET_ALREADY_INIT if the handle is initialized. */
RCL_ACTION_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_action_goal_handle_init(
  rcl_action_goal_handle_t * goal_handle, const rcl_action_goal_info_t * goal_info, rcl_allocator_t allocator);

/* The functions below return RCL_RET_ACTION_GOAL_HANDLE_INVALID if the handle is NULL or not initialized. */

/** Frees a handle; one that is not initialized is RCL_RET_OK. */
RCL_ACTION_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_action_goal_handle_fini(rcl_action_goal_handle_t * goal_handle);

/** Changes the state of a goal; RCL_RET_ACTION_GOAL_EVENT_INVALID if the event is not possible. */
RCL_ACTION_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_action_update_goal_state(
  rcl_action_goal_handle_t * goal_handle, const rcl_action_goal_event_t goal_event);

/** Gets the identifier and the time of a goal. */
RCL_ACTION_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_action_goal_handle_get_info(
  const rcl_action_goal_handle_t * goal_handle, rcl_action_goal_info_t * goal_info);

/** Gets the state of a goal. */
RCL_ACTION_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_action_goal_handle_get_status(
  const rcl_action_goal_handle_t * goal_handle, rcl_action_goal_state_t * status);

/** Returns true if the state is ACCEPTED, EXECUTING or CANCELING. */
RCL_ACTION_PUBLIC RCL_WARN_UNUSED bool rcl_action_goal_handle_is_active(const rcl_action_goal_handle_t * goal_handle);

/** Returns true if the event GOAL_EVENT_CANCEL_GOAL is possible. */
RCL_ACTION_PUBLIC RCL_WARN_UNUSED
bool rcl_action_goal_handle_is_cancelable(const rcl_action_goal_handle_t * goal_handle);

/** Returns true if the handle is initialized. */
RCL_ACTION_PUBLIC RCL_WARN_UNUSED bool rcl_action_goal_handle_is_valid(const rcl_action_goal_handle_t * goal_handle);

#ifdef __cplusplus
}
#endif

#endif
