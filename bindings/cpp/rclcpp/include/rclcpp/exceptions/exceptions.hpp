#ifndef RCLCPP__EXCEPTIONS__EXCEPTIONS_HPP_
#define RCLCPP__EXCEPTIONS__EXCEPTIONS_HPP_

#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "rcl/types.h"
#include "rcl/error_handling.h"
#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{
namespace exceptions
{

/// Thrown for a function of a node that does not exist any more.
class InvalidNodeError : public std::runtime_error
{
public:
  InvalidNodeError()
  : std::runtime_error("node is invalid") {}
};

/// Thrown for a name that is not valid. Its text shows where.
class NameValidationError : public std::invalid_argument
{
public:
  NameValidationError(
    const char * name_type_, const char * name_, const char * error_msg_, size_t invalid_index_);

  const std::string name_type;
  const std::string name;
  const std::string error_msg;
  const size_t invalid_index;
};

class InvalidNodeNameError : public NameValidationError
{
public:
  InvalidNodeNameError(const char * node_name, const char * reason, size_t index)
  : NameValidationError("node name", node_name, reason, index) {}
};

class InvalidNamespaceError : public NameValidationError
{
public:
  InvalidNamespaceError(const char * namespace_, const char * reason, size_t index)
  : NameValidationError("namespace", namespace_, reason, index) {}
};

class InvalidTopicNameError : public NameValidationError
{
public:
  InvalidTopicNameError(const char * namespace_, const char * reason, size_t index)
  : NameValidationError("topic name", namespace_, reason, index) {}
};

class InvalidServiceNameError : public NameValidationError
{
public:
  InvalidServiceNameError(const char * namespace_, const char * reason, size_t index)
  : NameValidationError("service name", namespace_, reason, index) {}
};

/// Thrown by a function that Saltus does not have.
class UnimplementedError : public std::runtime_error
{
public:
  UnimplementedError()
  : std::runtime_error("This code is unimplemented.") {}
  explicit UnimplementedError(const std::string & msg)
  : std::runtime_error(msg) {}
};

/// What the exceptions for failures of the library have in common.
class RCLErrorBase
{
public:
  RCLErrorBase(rcl_ret_t ret_, const std::string & message_)
  : ret(ret_), message(message_), formatted_message(message_) {}
  virtual ~RCLErrorBase() {}

  rcl_ret_t ret;
  std::string message;
  std::string file;
  size_t line = 0;
  std::string formatted_message;
};

/// Thrown for a failure of the library that has no class of its own.
class RCLError : public RCLErrorBase, public std::runtime_error
{
public:
  RCLError(rcl_ret_t ret_, const std::string & message_, const std::string & prefix = "");
  RCLError(const RCLErrorBase & base_exc, const std::string & prefix);
};

class RCLBadAlloc : public RCLErrorBase, public std::bad_alloc
{
public:
  RCLBadAlloc(rcl_ret_t ret_, const std::string & message_)
  : RCLErrorBase(ret_, message_) {}
};

class RCLInvalidArgument : public RCLErrorBase, public std::invalid_argument
{
public:
  RCLInvalidArgument(rcl_ret_t ret_, const std::string & message_, const std::string & prefix = "");
  RCLInvalidArgument(const RCLErrorBase & base_exc, const std::string & prefix);
};

/// Thrown for an argument after --ros-args that is not valid.
class RCLInvalidROSArgsError : public RCLErrorBase, public std::runtime_error
{
public:
  RCLInvalidROSArgsError(rcl_ret_t ret_, const std::string & message_, const std::string & prefix = "");
};

/// Thrown for an argument after --ros-args that is unknown.
class UnknownROSArgsError : public std::runtime_error
{
public:
  explicit UnknownROSArgsError(std::vector<std::string> && unknown_ros_args_in);

  const std::vector<std::string> unknown_ros_args;
};

/// Defines an exception that has nothing but its text.
#define RCLCPP_DETAIL_EXCEPTION(name) \
  class name : public std::runtime_error \
  { \
  public: \
    using std::runtime_error::runtime_error; \
  };

class InvalidEventError : public std::runtime_error
{
public:
  InvalidEventError()
  : std::runtime_error("event is invalid") {}
};

class EventNotRegisteredError : public std::runtime_error
{
public:
  EventNotRegisteredError()
  : std::runtime_error("event already registered") {}
};

class UnsupportedEventTypeException : public RCLErrorBase, public std::runtime_error
{
public:
  UnsupportedEventTypeException(rcl_ret_t ret_, const std::string & message_, const std::string & prefix = "");
};

RCLCPP_DETAIL_EXCEPTION(InvalidParametersException)
RCLCPP_DETAIL_EXCEPTION(InvalidParameterValueException)
RCLCPP_DETAIL_EXCEPTION(ParameterAlreadyDeclaredException)
RCLCPP_DETAIL_EXCEPTION(ParameterNotDeclaredException)
RCLCPP_DETAIL_EXCEPTION(ParameterImmutableException)
RCLCPP_DETAIL_EXCEPTION(ParameterModifiedInCallbackException)
RCLCPP_DETAIL_EXCEPTION(InvalidQosOverridesException)
RCLCPP_DETAIL_EXCEPTION(QoSCheckCompatibleException)

/// Thrown for a value of a parameter that has another type.
class InvalidParameterTypeException : public std::runtime_error
{
public:
  InvalidParameterTypeException(const std::string & name, const std::string & message)
  : std::runtime_error("parameter '" + name + "' has invalid type: " + message) {}
};

/// Thrown if a parameter that was declared without a value is read.
class ParameterUninitializedException : public std::runtime_error
{
public:
  explicit ParameterUninitializedException(const std::string & name)
  : std::runtime_error("parameter '" + name + "' is not initialized") {}
};

/// Thrown if a parameter with a type, but without a default, gets no value when it is declared.
class UninitializedStaticallyTypedParameterException : public std::runtime_error
{
public:
  explicit UninitializedStaticallyTypedParameterException(const std::string & name)
  : std::runtime_error("Statically typed parameter '" + name + "' must be initialized.") {}
};

/// Thrown if a callback group belongs to another node.
class MissingGroupNodeException : public std::runtime_error
{
public:
  explicit MissingGroupNodeException(const std::string & obj_type)
  : std::runtime_error("cannot create: " + obj_type + ", callback group not in node") {}
};

#undef RCLCPP_DETAIL_EXCEPTION

using reset_error_function_t = void (*)();

/// Throws the exception for a number of the C library.
[[noreturn]] RCLCPP_PUBLIC
void throw_from_rcl_error(
  rcl_ret_t ret, const std::string & prefix = "", const rcutils_error_state_t * error_state = nullptr,
  reset_error_function_t reset_error = nullptr);

}  // namespace exceptions
}  // namespace rclcpp

#endif  // RCLCPP__EXCEPTIONS__EXCEPTIONS_HPP_
