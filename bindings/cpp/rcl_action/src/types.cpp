#include "rcl_action/types.h"

#include "rcl/error_handling.h"

namespace
{

template<typename Sequence>
rcl_ret_t init(Sequence & sequence, size_t size, const rcl_allocator_t & allocator)
{
  RCL_CHECK_ALLOCATOR_WITH_MSG(&allocator, "the allocator is not valid", return RCL_RET_INVALID_ARGUMENT);
  if (size == 0) {
    RCL_SET_ERROR_MSG("expected a size greater than 0");
    return RCL_RET_INVALID_ARGUMENT;
  }
  if (sequence.data) {
    RCL_SET_ERROR_MSG("the sequence has memory already");
    return RCL_RET_ALREADY_INIT;
  }
  void * data = allocator.zero_allocate(size, sizeof(*sequence.data), allocator.state);
  RCL_CHECK_FOR_NULL_WITH_MSG(data, "no memory for a sequence", return RCL_RET_BAD_ALLOC);
  sequence = {static_cast<decltype(sequence.data)>(data), size, size};
  return RCL_RET_OK;
}

template<typename Sequence>
rcl_ret_t fini(Sequence & sequence, const rcl_allocator_t & allocator)
{
  if (sequence.data) {
    RCL_CHECK_ALLOCATOR_WITH_MSG(&allocator, "the allocator is not valid", return RCL_RET_INVALID_ARGUMENT);
    allocator.deallocate(sequence.data, allocator.state);
  }
  sequence = {nullptr, 0, 0};
  return RCL_RET_OK;
}

}  // namespace

rcl_action_goal_info_t rcl_action_get_zero_initialized_goal_info() {return {};}

rcl_action_goal_status_array_t rcl_action_get_zero_initialized_goal_status_array() {return {};}

rcl_action_cancel_request_t rcl_action_get_zero_initialized_cancel_request() {return {};}

rcl_action_cancel_response_t rcl_action_get_zero_initialized_cancel_response() {return {};}

rcl_ret_t rcl_action_goal_status_array_init(
  rcl_action_goal_status_array_t * status_array, const size_t num_status, const rcl_allocator_t allocator)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(status_array, RCL_RET_INVALID_ARGUMENT);
  const rcl_ret_t ret = init(status_array->msg.status_list, num_status, allocator);
  if (ret == RCL_RET_OK) {
    status_array->allocator = allocator;
  }
  return ret;
}

rcl_ret_t rcl_action_goal_status_array_fini(rcl_action_goal_status_array_t * status_array)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(status_array, RCL_RET_INVALID_ARGUMENT);
  return fini(status_array->msg.status_list, status_array->allocator);
}

rcl_ret_t rcl_action_cancel_response_init(
  rcl_action_cancel_response_t * cancel_response, const size_t num_goals_canceling, const rcl_allocator_t allocator)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(cancel_response, RCL_RET_INVALID_ARGUMENT);
  const rcl_ret_t ret = init(cancel_response->msg.goals_canceling, num_goals_canceling, allocator);
  if (ret == RCL_RET_OK) {
    cancel_response->msg.return_code = action_msgs__srv__CancelGoal_Response__ERROR_NONE;
    cancel_response->allocator = allocator;
  }
  return ret;
}

rcl_ret_t rcl_action_cancel_response_fini(rcl_action_cancel_response_t * cancel_response)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(cancel_response, RCL_RET_INVALID_ARGUMENT);
  return fini(cancel_response->msg.goals_canceling, cancel_response->allocator);
}
