/* Uses rcl_action from C: a compile test of the headers and macros. */
#include "rcl_action/rcl_action.h"
#include "rcl_action/version.h"

/* Returns 1 if the identifier of a goal consists of zeros. */
int c_is_zero(const rcl_action_goal_info_t * info);

int c_is_zero(const rcl_action_goal_info_t * info)
{
  return uuidcmpzero(info->goal_id.uuid) ? 1 : 0;
}
