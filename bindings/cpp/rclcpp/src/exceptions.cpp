#include "rclcpp/exceptions/exceptions.hpp"

#include <utility>

namespace rclcpp::exceptions
{
namespace
{

std::string shown(
  const std::string & name_type, const std::string & name, const std::string & error, size_t invalid_index)
{
  return "Invalid " + name_type + ": " + error + ":\n  '" + name + "'\n   " + std::string(invalid_index, ' ') + "^\n";
}

std::string joined(const std::string & prefix, const std::string & message)
{
  return prefix.empty() ? message : prefix + ": " + message;
}

std::string listed(const std::vector<std::string> & arguments)
{
  std::string text = "found unknown ROS arguments: ";
  const char * between = "'";
  for (const std::string & argument : arguments) {
    text += between + argument + "'";
    between = ", '";
  }
  return text;
}

}  // namespace

NameValidationError::NameValidationError(
  const char * name_type_, const char * name_, const char * error_msg_, size_t invalid_index_)
: std::invalid_argument(shown(name_type_, name_, error_msg_, invalid_index_)),
  name_type(name_type_), name(name_), error_msg(error_msg_), invalid_index(invalid_index_) {}

RCLError::RCLError(rcl_ret_t ret_, const std::string & message_, const std::string & prefix)
: RCLErrorBase(ret_, message_), std::runtime_error(joined(prefix, message_)) {}

RCLError::RCLError(const RCLErrorBase & base_exc, const std::string & prefix)
: RCLErrorBase(base_exc), std::runtime_error(joined(prefix, base_exc.formatted_message)) {}

RCLInvalidArgument::RCLInvalidArgument(rcl_ret_t ret_, const std::string & message_, const std::string & prefix)
: RCLErrorBase(ret_, message_), std::invalid_argument(joined(prefix, message_)) {}

RCLInvalidArgument::RCLInvalidArgument(const RCLErrorBase & base_exc, const std::string & prefix)
: RCLErrorBase(base_exc), std::invalid_argument(joined(prefix, base_exc.formatted_message)) {}

RCLInvalidROSArgsError::RCLInvalidROSArgsError(
  rcl_ret_t ret_, const std::string & message_, const std::string & prefix)
: RCLErrorBase(ret_, message_), std::runtime_error(joined(prefix, message_)) {}

UnsupportedEventTypeException::UnsupportedEventTypeException(
  rcl_ret_t ret_, const std::string & message_, const std::string & prefix)
: RCLErrorBase(ret_, message_), std::runtime_error(joined(prefix, message_)) {}

UnknownROSArgsError::UnknownROSArgsError(std::vector<std::string> && unknown_ros_args_in)
: std::runtime_error(listed(unknown_ros_args_in)), unknown_ros_args(std::move(unknown_ros_args_in)) {}

void throw_from_rcl_error(
  rcl_ret_t ret, const std::string & prefix, const rcutils_error_state_t *, reset_error_function_t reset_error)
{
  const std::string message = rcutils_get_error_string().str;
  if (reset_error != nullptr) {
    reset_error();
  } else {
    rcutils_reset_error();
  }
  switch (ret) {
    case RCL_RET_OK:
      throw std::invalid_argument("ret is RCL_RET_OK");
    case RCL_RET_BAD_ALLOC:
      throw RCLBadAlloc(ret, message);
    case RCL_RET_INVALID_ARGUMENT:
      throw RCLInvalidArgument(ret, message, prefix);
    case RCL_RET_INVALID_ROS_ARGS:
      throw RCLInvalidROSArgsError(ret, message, prefix);
    default:
      throw RCLError(ret, message, prefix);
  }
}

}  // namespace rclcpp::exceptions
