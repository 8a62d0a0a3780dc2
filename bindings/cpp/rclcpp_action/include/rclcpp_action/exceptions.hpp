#ifndef RCLCPP_ACTION__EXCEPTIONS_HPP_
#define RCLCPP_ACTION__EXCEPTIONS_HPP_

#include <stdexcept>
#include <string>

namespace rclcpp_action
{
namespace exceptions
{

/// The client has not sent the goal, or the goal has ended.
class UnknownGoalHandleError : public std::invalid_argument
{
public:
  UnknownGoalHandleError()
  : std::invalid_argument("Goal handle is not known to this client.") {}
};

/// The result of the goal can't come any more.
class UnawareGoalHandleError : public std::runtime_error
{
public:
  explicit UnawareGoalHandleError(const std::string & message = "Goal handle is not tracking the goal result.")
  : std::runtime_error(message) {}
};

}  // namespace exceptions
}  // namespace rclcpp_action

#endif  // RCLCPP_ACTION__EXCEPTIONS_HPP_
