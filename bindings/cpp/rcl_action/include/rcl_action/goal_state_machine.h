#ifndef RCL_ACTION_GOAL_STATE_MACHINE_H_
#define RCL_ACTION_GOAL_STATE_MACHINE_H_

#include "rcl_action/types.h"
#include "rcl_action/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the state of a goal after an event, or GOAL_STATE_UNKNOWN if the event is not possible. */
RCL_ACTION_PUBLIC RCL_WARN_UNUSED rcl_action_goal_state_t rcl_action_transition_goal_state(
  const rcl_action_goal_state_t state, const rcl_action_goal_event_t event);

#ifdef __cplusplus
}
#endif

#endif
