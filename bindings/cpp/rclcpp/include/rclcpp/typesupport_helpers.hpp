#ifndef RCLCPP__TYPESUPPORT_HELPERS_HPP_
#define RCLCPP__TYPESUPPORT_HELPERS_HPP_

#include <memory>
#include <string>

#include "rclcpp/visibility_control.hpp"
#include "rcpputils/shared_library.hpp"
#include "rosidl_runtime_c/message_type_support_struct.h"
#include "rosidl_runtime_c/service_type_support_struct.h"

namespace rclcpp
{

/// Loads the library with the types of a package, such as that of "std_msgs/msg/String".
/// \throws std::runtime_error if the name has no package, the package is unknown, or the library can't be loaded
RCLCPP_PUBLIC std::shared_ptr<rcpputils::SharedLibrary> get_typesupport_library(
  const std::string & type, const std::string & typesupport_identifier);

/// Returns the type support of a message. It is valid as long as the library.
/// \throws std::runtime_error if the library does not have it
RCLCPP_PUBLIC const rosidl_message_type_support_t * get_message_typesupport_handle(
  const std::string & type, const std::string & typesupport_identifier, rcpputils::SharedLibrary & library);

[[deprecated("Use `get_message_typesupport_handle` instead")]]
RCLCPP_PUBLIC const rosidl_message_type_support_t * get_typesupport_handle(
  const std::string & type, const std::string & typesupport_identifier, rcpputils::SharedLibrary & library);

/// Returns the type support of a service. It is valid as long as the library.
/// \throws std::runtime_error if the library does not have it
RCLCPP_PUBLIC const rosidl_service_type_support_t * get_service_typesupport_handle(
  const std::string & type, const std::string & typesupport_identifier, rcpputils::SharedLibrary & library);

}  // namespace rclcpp

#endif  // RCLCPP__TYPESUPPORT_HELPERS_HPP_
