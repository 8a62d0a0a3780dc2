#ifndef RCLCPP__DETAIL__ADD_GUARD_CONDITION_TO_RCL_WAIT_SET_HPP_
#define RCLCPP__DETAIL__ADD_GUARD_CONDITION_TO_RCL_WAIT_SET_HPP_

#include "rcl/wait.h"
#include "rclcpp/guard_condition.hpp"

namespace rclcpp::detail
{

/// Adds a guard condition to a wait set of rcl.
/// \throws rclcpp::exceptions::RCLError if the wait set is full
RCLCPP_PUBLIC void add_guard_condition_to_rcl_wait_set(
  rcl_wait_set_t & rcl_wait_set, const rclcpp::GuardCondition & guard_condition);

}  // namespace rclcpp::detail

#endif  // RCLCPP__DETAIL__ADD_GUARD_CONDITION_TO_RCL_WAIT_SET_HPP_
