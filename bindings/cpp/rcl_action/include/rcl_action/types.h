/** Return codes of actions, goals and their states. */
#ifndef RCL_ACTION_TYPES_H_
#define RCL_ACTION_TYPES_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "rcl/allocator.h"
#include "rcl/macros.h"
#include "rcl/types.h"
#include "rcl_action/detail/messages.h"
#include "rcl_action/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RCL_RET_ACTION_NAME_INVALID 2000
#define RCL_RET_ACTION_GOAL_ACCEPTED 2100
#define RCL_RET_ACTION_GOAL_REJECTED 2101
#define RCL_RET_ACTION_CLIENT_INVALID 2102
#define RCL_RET_ACTION_CLIENT_TAKE_FAILED 2103
#define RCL_RET_ACTION_SERVER_INVALID 2200
#define RCL_RET_ACTION_SERVER_TAKE_FAILED 2201
#define RCL_RET_ACTION_GOAL_HANDLE_INVALID 2300
#define RCL_RET_ACTION_GOAL_EVENT_INVALID 2301

/** Bytes of the identifier of a goal. */
#define UUID_SIZE 16

/** True if two identifiers are equal. */
#define uuidcmp(uuid0, uuid1) (0 == memcmp((uuid0), (uuid1), UUID_SIZE))

#ifndef __cplusplus
/** An identifier of zeros. */
#define zerouuid (uint8_t[UUID_SIZE]) {0}

/** True if an identifier consists of zeros. */
#define uuidcmpzero(uuid) uuidcmp(uuid, (zerouuid))
#endif

typedef action_msgs__msg__GoalInfo rcl_action_goal_info_t;
typedef action_msgs__msg__GoalStatus rcl_action_goal_status_t;
typedef action_msgs__srv__CancelGoal_Request rcl_action_cancel_request_t;

typedef struct rcl_action_goal_status_array_s
{
  action_msgs__msg__GoalStatusArray msg;
  rcl_allocator_t allocator;
} rcl_action_goal_status_array_t;

typedef struct rcl_action_cancel_response_s
{
  action_msgs__srv__CancelGoal_Response msg;
  rcl_allocator_t allocator;
} rcl_action_cancel_response_t;

/** One of the states below. */
typedef int8_t rcl_action_goal_state_t;

#define GOAL_STATE_UNKNOWN action_msgs__msg__GoalStatus__STATUS_UNKNOWN
#define GOAL_STATE_ACCEPTED action_msgs__msg__GoalStatus__STATUS_ACCEPTED
#define GOAL_STATE_EXECUTING action_msgs__msg__GoalStatus__STATUS_EXECUTING
#define GOAL_STATE_CANCELING action_msgs__msg__GoalStatus__STATUS_CANCELING
#define GOAL_STATE_SUCCEEDED action_msgs__msg__GoalStatus__STATUS_SUCCEEDED
#define GOAL_STATE_CANCELED action_msgs__msg__GoalStatus__STATUS_CANCELED
#define GOAL_STATE_ABORTED action_msgs__msg__GoalStatus__STATUS_ABORTED
#define GOAL_STATE_NUM_STATES 7

/** What happens to a goal. */
typedef enum rcl_action_goal_event_e
{
  GOAL_EVENT_EXECUTE = 0,
  GOAL_EVENT_CANCEL_GOAL,
  GOAL_EVENT_SUCCEED,
  GOAL_EVENT_ABORT,
  GOAL_EVENT_CANCELED,
  GOAL_EVENT_NUM_EVENTS
} rcl_action_goal_event_t;

/* Structs in which all is zero. */
RCL_ACTION_PUBLIC RCL_WARN_UNUSED rcl_action_goal_info_t rcl_action_get_zero_initialized_goal_info(void);
RCL_ACTION_PUBLIC RCL_WARN_UNUSED
rcl_action_goal_status_array_t rcl_action_get_zero_initialized_goal_status_array(void);
RCL_ACTION_PUBLIC RCL_WARN_UNUSED rcl_action_cancel_request_t rcl_action_get_zero_initialized_cancel_request(void);
RCL_ACTION_PUBLIC RCL_WARN_UNUSED rcl_action_cancel_response_t rcl_action_get_zero_initialized_cancel_response(void);

/** Makes an array of states that are zero; RCL_RET_ALREADY_INIT if it has memory, and the size must not be 0. */
RCL_ACTION_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_action_goal_status_array_init(
  rcl_action_goal_status_array_t * status_array, const size_t num_status, const rcl_allocator_t allocator);

/** Frees the states. */
RCL_ACTION_PUBLIC RCL_WARN_UNUSED
rcl_ret_t rcl_action_goal_status_array_fini(rcl_action_goal_status_array_t * status_array);

/** Makes a response with goals that are zero; RCL_RET_ALREADY_INIT if it has memory, and the size must not be 0. */
RCL_ACTION_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_action_cancel_response_init(
  rcl_action_cancel_response_t * cancel_response, const size_t num_goals_canceling, const rcl_allocator_t allocator);

/** Frees the goals. */
RCL_ACTION_PUBLIC RCL_WARN_UNUSED
rcl_ret_t rcl_action_cancel_response_fini(rcl_action_cancel_response_t * cancel_response);

#ifdef __cplusplus
}
#endif

#endif
