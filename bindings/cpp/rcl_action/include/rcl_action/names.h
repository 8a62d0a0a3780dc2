/** The names of the services and topics of an action. */
#ifndef RCL_ACTION_NAMES_H_
#define RCL_ACTION_NAMES_H_

#include "rcl/allocator.h"
#include "rcl/macros.h"
#include "rcl/types.h"
#include "rcl_action/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Each function sets its last argument, which points to NULL, to a name that the allocator frees. Returns
 * RCL_RET_ACTION_NAME_INVALID if the name of the action is empty.
 */
RCL_ACTION_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_action_get_goal_service_name(
  const char * action_name, rcl_allocator_t allocator, char ** goal_service_name);
RCL_ACTION_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_action_get_cancel_service_name(
  const char * action_name, rcl_allocator_t allocator, char ** cancel_service_name);
RCL_ACTION_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_action_get_result_service_name(
  const char * action_name, rcl_allocator_t allocator, char ** result_service_name);
RCL_ACTION_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_action_get_feedback_topic_name(
  const char * action_name, rcl_allocator_t allocator, char ** feedback_topic_name);
RCL_ACTION_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_action_get_status_topic_name(
  const char * action_name, rcl_allocator_t allocator, char ** status_topic_name);

#ifdef __cplusplus
}
#endif

#endif
