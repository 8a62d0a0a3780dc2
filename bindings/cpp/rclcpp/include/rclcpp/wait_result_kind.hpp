#ifndef RCLCPP__WAIT_RESULT_KIND_HPP_
#define RCLCPP__WAIT_RESULT_KIND_HPP_

#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{

/// How a wait has ended.
enum RCLCPP_PUBLIC WaitResultKind
{
  /// Something is ready.
  Ready,
  Timeout,
  /// The wait set has nothing to wait for.
  Empty,
  /// The wait set was changed after the wait.
  Invalid,
};

}  // namespace rclcpp

#endif  // RCLCPP__WAIT_RESULT_KIND_HPP_
