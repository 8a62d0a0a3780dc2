/** The messages of action_msgs in C, as far as rcl_action uses them: Saltus does not generate messages in C. */
#ifndef RCL_ACTION_DETAIL_MESSAGES_H_
#define RCL_ACTION_DETAIL_MESSAGES_H_

#include <stddef.h>
#include <stdint.h>

typedef struct unique_identifier_msgs__msg__UUID
{
  uint8_t uuid[16];
} unique_identifier_msgs__msg__UUID;

typedef struct builtin_interfaces__msg__Time
{
  int32_t sec;
  uint32_t nanosec;
} builtin_interfaces__msg__Time;

/** Identifies a goal. */
typedef struct action_msgs__msg__GoalInfo
{
  unique_identifier_msgs__msg__UUID goal_id;
  /** When the goal was accepted. */
  builtin_interfaces__msg__Time stamp;
} action_msgs__msg__GoalInfo;

typedef struct action_msgs__msg__GoalInfo__Sequence
{
  action_msgs__msg__GoalInfo * data;
  size_t size;
  size_t capacity;
} action_msgs__msg__GoalInfo__Sequence;

/** The states of goals. */
enum
{
  action_msgs__msg__GoalStatus__STATUS_UNKNOWN = 0,
  action_msgs__msg__GoalStatus__STATUS_ACCEPTED = 1,
  action_msgs__msg__GoalStatus__STATUS_EXECUTING = 2,
  action_msgs__msg__GoalStatus__STATUS_CANCELING = 3,
  action_msgs__msg__GoalStatus__STATUS_SUCCEEDED = 4,
  action_msgs__msg__GoalStatus__STATUS_CANCELED = 5,
  action_msgs__msg__GoalStatus__STATUS_ABORTED = 6
};

typedef struct action_msgs__msg__GoalStatus
{
  action_msgs__msg__GoalInfo goal_info;
  int8_t status;
} action_msgs__msg__GoalStatus;

typedef struct action_msgs__msg__GoalStatus__Sequence
{
  action_msgs__msg__GoalStatus * data;
  size_t size;
  size_t capacity;
} action_msgs__msg__GoalStatus__Sequence;

typedef struct action_msgs__msg__GoalStatusArray
{
  action_msgs__msg__GoalStatus__Sequence status_list;
} action_msgs__msg__GoalStatusArray;

typedef struct action_msgs__srv__CancelGoal_Request
{
  action_msgs__msg__GoalInfo goal_info;
} action_msgs__srv__CancelGoal_Request;

/** Why goals are not canceled. */
enum
{
  action_msgs__srv__CancelGoal_Response__ERROR_NONE = 0,
  action_msgs__srv__CancelGoal_Response__ERROR_REJECTED = 1,
  action_msgs__srv__CancelGoal_Response__ERROR_UNKNOWN_GOAL_ID = 2,
  action_msgs__srv__CancelGoal_Response__ERROR_GOAL_TERMINATED = 3
};

typedef struct action_msgs__srv__CancelGoal_Response
{
  int8_t return_code;
  action_msgs__msg__GoalInfo__Sequence goals_canceling;
} action_msgs__srv__CancelGoal_Response;

#endif
