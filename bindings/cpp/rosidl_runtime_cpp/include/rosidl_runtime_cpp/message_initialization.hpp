#ifndef ROSIDL_RUNTIME_CPP__MESSAGE_INITIALIZATION_HPP_
#define ROSIDL_RUNTIME_CPP__MESSAGE_INITIALIZATION_HPP_

// Programs use these headers without including them, because each generated header of a message includes them.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "rosidl_runtime_c/message_initialization.h"

namespace rosidl_runtime_cpp
{

/// What a new message has in its fields.
enum class MessageInitialization
{
  /// The default of each field, or zero.
  ALL = ROSIDL_RUNTIME_C_MSG_INIT_ALL,
  /// Nothing is set.
  SKIP = ROSIDL_RUNTIME_C_MSG_INIT_SKIP,
  /// Zero.
  ZERO = ROSIDL_RUNTIME_C_MSG_INIT_ZERO,
  /// Only the fields with a default are set.
  DEFAULTS_ONLY = ROSIDL_RUNTIME_C_MSG_INIT_DEFAULTS_ONLY,
};

}  // namespace rosidl_runtime_cpp

#endif  // ROSIDL_RUNTIME_CPP__MESSAGE_INITIALIZATION_HPP_
