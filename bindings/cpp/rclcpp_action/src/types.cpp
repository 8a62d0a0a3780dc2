#include "rclcpp_action/types.hpp"

#include <algorithm>

#include "rcl_action/default_qos.h"
#include "rclcpp_action/qos.hpp"

namespace rclcpp_action
{

std::string to_string(const GoalUUID & goal_id)
{
  static const char digits[] = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : goal_id) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

void convert(const GoalUUID & goal_id, rcl_action_goal_info_t * info)
{
  std::copy(goal_id.begin(), goal_id.end(), info->goal_id.uuid);
}

void convert(const rcl_action_goal_info_t & info, GoalUUID * goal_id)
{
  std::copy(std::begin(info.goal_id.uuid), std::end(info.goal_id.uuid), goal_id->begin());
}

DefaultActionStatusQoS::DefaultActionStatusQoS()
: QoS(rclcpp::QoSInitialization::from_rmw(rcl_action_qos_profile_status_default), rcl_action_qos_profile_status_default)
{}

}  // namespace rclcpp_action
