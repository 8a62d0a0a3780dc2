// The states of goals, and goal handles.
#include <new>

#include "rcl/error_handling.h"
#include "rcl_action/goal_handle.h"
#include "rcl_action/goal_state_machine.h"

struct rcl_action_goal_handle_impl_s
{
  rcl_action_goal_info_t info;
  rcl_action_goal_state_t state;
  rcl_allocator_t allocator;
};

namespace
{

struct Transition
{
  rcl_action_goal_state_t from;
  rcl_action_goal_event_t event;
  rcl_action_goal_state_t to;
};

constexpr Transition TRANSITIONS[] = {
  {GOAL_STATE_ACCEPTED, GOAL_EVENT_EXECUTE, GOAL_STATE_EXECUTING},
  {GOAL_STATE_ACCEPTED, GOAL_EVENT_CANCEL_GOAL, GOAL_STATE_CANCELING},
  {GOAL_STATE_EXECUTING, GOAL_EVENT_CANCEL_GOAL, GOAL_STATE_CANCELING},
  {GOAL_STATE_EXECUTING, GOAL_EVENT_SUCCEED, GOAL_STATE_SUCCEEDED},
  {GOAL_STATE_EXECUTING, GOAL_EVENT_ABORT, GOAL_STATE_ABORTED},
  {GOAL_STATE_CANCELING, GOAL_EVENT_SUCCEED, GOAL_STATE_SUCCEEDED},
  {GOAL_STATE_CANCELING, GOAL_EVENT_ABORT, GOAL_STATE_ABORTED},
  {GOAL_STATE_CANCELING, GOAL_EVENT_CANCELED, GOAL_STATE_CANCELED},
};

}  // namespace

rcl_action_goal_state_t rcl_action_transition_goal_state(
  const rcl_action_goal_state_t state, const rcl_action_goal_event_t event)
{
  for (const Transition & transition : TRANSITIONS) {
    if (transition.from == state && transition.event == event) {
      return transition.to;
    }
  }
  return GOAL_STATE_UNKNOWN;
}

rcl_action_goal_handle_t rcl_action_get_zero_initialized_goal_handle() {return {nullptr};}

rcl_ret_t rcl_action_goal_handle_init(
  rcl_action_goal_handle_t * goal_handle, const rcl_action_goal_info_t * goal_info, rcl_allocator_t allocator)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(goal_handle, RCL_RET_INVALID_ARGUMENT);
  RCL_CHECK_ARGUMENT_FOR_NULL(goal_info, RCL_RET_INVALID_ARGUMENT);
  RCL_CHECK_ALLOCATOR_WITH_MSG(&allocator, "the allocator is not valid", return RCL_RET_INVALID_ARGUMENT);
  if (goal_handle->impl) {
    RCL_SET_ERROR_MSG("the goal handle is initialized already");
    return RCL_RET_ALREADY_INIT;
  }
  void * memory = allocator.allocate(sizeof(rcl_action_goal_handle_impl_t), allocator.state);
  RCL_CHECK_FOR_NULL_WITH_MSG(memory, "no memory for a goal handle", return RCL_RET_BAD_ALLOC);
  goal_handle->impl = new (memory) rcl_action_goal_handle_impl_t{*goal_info, GOAL_STATE_ACCEPTED, allocator};
  return RCL_RET_OK;
}

rcl_ret_t rcl_action_goal_handle_fini(rcl_action_goal_handle_t * goal_handle)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(goal_handle, RCL_RET_ACTION_GOAL_HANDLE_INVALID);
  if (goal_handle->impl) {
    const rcl_allocator_t allocator = goal_handle->impl->allocator;
    allocator.deallocate(goal_handle->impl, allocator.state);
    goal_handle->impl = nullptr;
  }
  return RCL_RET_OK;
}

rcl_ret_t rcl_action_update_goal_state(
  rcl_action_goal_handle_t * goal_handle, const rcl_action_goal_event_t goal_event)
{
  if (!rcl_action_goal_handle_is_valid(goal_handle)) {
    return RCL_RET_ACTION_GOAL_HANDLE_INVALID;
  }
  const rcl_action_goal_state_t state = rcl_action_transition_goal_state(goal_handle->impl->state, goal_event);
  if (state == GOAL_STATE_UNKNOWN) {
    RCL_SET_ERROR_MSG_WITH_FORMAT_STRING(
      "the event %d is not possible in the state %d of the goal", goal_event, goal_handle->impl->state);
    return RCL_RET_ACTION_GOAL_EVENT_INVALID;
  }
  goal_handle->impl->state = state;
  return RCL_RET_OK;
}

rcl_ret_t rcl_action_goal_handle_get_info(
  const rcl_action_goal_handle_t * goal_handle, rcl_action_goal_info_t * goal_info)
{
  if (!rcl_action_goal_handle_is_valid(goal_handle)) {
    return RCL_RET_ACTION_GOAL_HANDLE_INVALID;
  }
  RCL_CHECK_ARGUMENT_FOR_NULL(goal_info, RCL_RET_INVALID_ARGUMENT);
  *goal_info = goal_handle->impl->info;
  return RCL_RET_OK;
}

rcl_ret_t rcl_action_goal_handle_get_status(
  const rcl_action_goal_handle_t * goal_handle, rcl_action_goal_state_t * status)
{
  if (!rcl_action_goal_handle_is_valid(goal_handle)) {
    return RCL_RET_ACTION_GOAL_HANDLE_INVALID;
  }
  RCL_CHECK_ARGUMENT_FOR_NULL(status, RCL_RET_INVALID_ARGUMENT);
  *status = goal_handle->impl->state;
  return RCL_RET_OK;
}

bool rcl_action_goal_handle_is_active(const rcl_action_goal_handle_t * goal_handle)
{
  if (!rcl_action_goal_handle_is_valid(goal_handle)) {
    return false;
  }
  const rcl_action_goal_state_t state = goal_handle->impl->state;
  return state == GOAL_STATE_ACCEPTED || state == GOAL_STATE_EXECUTING || state == GOAL_STATE_CANCELING;
}

bool rcl_action_goal_handle_is_cancelable(const rcl_action_goal_handle_t * goal_handle)
{
  return rcl_action_goal_handle_is_valid(goal_handle) &&
         rcl_action_transition_goal_state(goal_handle->impl->state, GOAL_EVENT_CANCEL_GOAL) != GOAL_STATE_UNKNOWN;
}

bool rcl_action_goal_handle_is_valid(const rcl_action_goal_handle_t * goal_handle)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(goal_handle, false);
  RCL_CHECK_FOR_NULL_WITH_MSG(goal_handle->impl, "the goal handle is not initialized", return false);
  return true;
}
