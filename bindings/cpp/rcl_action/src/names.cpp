#include "rcl_action/names.h"

#include <string>

#include "rcl/error_handling.h"
#include "rcl_action/types.h"
#include "rcutils/strdup.h"

namespace
{

rcl_ret_t make_name(const char * action_name, const char * part, rcl_allocator_t allocator, char ** name)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(action_name, RCL_RET_INVALID_ARGUMENT);
  RCL_CHECK_ARGUMENT_FOR_NULL(name, RCL_RET_INVALID_ARGUMENT);
  RCL_CHECK_ALLOCATOR_WITH_MSG(&allocator, "the allocator is not valid", return RCL_RET_INVALID_ARGUMENT);
  if (*action_name == '\0') {
    RCL_SET_ERROR_MSG("the name of the action is empty");
    return RCL_RET_ACTION_NAME_INVALID;
  }
  if (*name) {
    RCL_SET_ERROR_MSG("expected the name to be null: memory would be lost");
    return RCL_RET_INVALID_ARGUMENT;
  }
  *name = rcutils_strdup((std::string(action_name) + "/_action/" + part).c_str(), allocator);
  RCL_CHECK_FOR_NULL_WITH_MSG(*name, "no memory for a name", return RCL_RET_BAD_ALLOC);
  return RCL_RET_OK;
}

}  // namespace

rcl_ret_t rcl_action_get_goal_service_name(
  const char * action_name, rcl_allocator_t allocator, char ** goal_service_name)
{
  return make_name(action_name, "send_goal", allocator, goal_service_name);
}

rcl_ret_t rcl_action_get_cancel_service_name(
  const char * action_name, rcl_allocator_t allocator, char ** cancel_service_name)
{
  return make_name(action_name, "cancel_goal", allocator, cancel_service_name);
}

rcl_ret_t rcl_action_get_result_service_name(
  const char * action_name, rcl_allocator_t allocator, char ** result_service_name)
{
  return make_name(action_name, "get_result", allocator, result_service_name);
}

rcl_ret_t rcl_action_get_feedback_topic_name(
  const char * action_name, rcl_allocator_t allocator, char ** feedback_topic_name)
{
  return make_name(action_name, "feedback", allocator, feedback_topic_name);
}

rcl_ret_t rcl_action_get_status_topic_name(
  const char * action_name, rcl_allocator_t allocator, char ** status_topic_name)
{
  return make_name(action_name, "status", allocator, status_topic_name);
}
