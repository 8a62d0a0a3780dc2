#ifndef RCLCPP__FUTURE_RETURN_CODE_HPP_
#define RCLCPP__FUTURE_RETURN_CODE_HPP_

#include <iosfwd>
#include <string>

#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{

/// Why a wait for a future has ended.
enum class FutureReturnCode {SUCCESS, INTERRUPTED, TIMEOUT};

RCLCPP_PUBLIC std::ostream & operator<<(std::ostream & os, const FutureReturnCode & future_return_code);
RCLCPP_PUBLIC std::string to_string(const FutureReturnCode & future_return_code);

}  // namespace rclcpp

#endif  // RCLCPP__FUTURE_RETURN_CODE_HPP_
