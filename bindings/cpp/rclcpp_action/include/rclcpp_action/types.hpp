#ifndef RCLCPP_ACTION__TYPES_HPP_
#define RCLCPP_ACTION__TYPES_HPP_

#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "action_msgs/msg/goal_info.hpp"
#include "action_msgs/msg/goal_status.hpp"
#include "action_msgs/srv/cancel_goal.hpp"
#include "rcl_action/types.h"
#include "rclcpp_action/visibility_control.hpp"

namespace rclcpp_action
{

/// The id of a goal.
using GoalUUID = std::array<uint8_t, UUID_SIZE>;
using GoalStatus = action_msgs::msg::GoalStatus;
using GoalInfo = action_msgs::msg::GoalInfo;

/// Returns an id as 32 hexadecimal digits.
RCLCPP_ACTION_PUBLIC std::string to_string(const GoalUUID & goal_id);

RCLCPP_ACTION_PUBLIC void convert(const GoalUUID & goal_id, rcl_action_goal_info_t * info);
RCLCPP_ACTION_PUBLIC void convert(const rcl_action_goal_info_t & info, GoalUUID * goal_id);

}  // namespace rclcpp_action

namespace std
{

template<>
struct less<rclcpp_action::GoalUUID>
{
  bool operator()(const rclcpp_action::GoalUUID & left, const rclcpp_action::GoalUUID & right) const
  {
    return left < right;
  }
};

template<>
struct hash<rclcpp_action::GoalUUID>
{
  size_t operator()(const rclcpp_action::GoalUUID & id) const noexcept
  {
    size_t result = 0;
    for (const uint8_t byte : id) {
      result = result * 31 + byte;
    }
    return result;
  }
};

}  // namespace std

#endif  // RCLCPP_ACTION__TYPES_HPP_
