#ifndef RCLCPP__EXPAND_TOPIC_OR_SERVICE_NAME_HPP_
#define RCLCPP__EXPAND_TOPIC_OR_SERVICE_NAME_HPP_

#include <string>

#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{

/// Returns the full name of a topic or service for a name that a program uses. It is not remapped.
/// \throws rclcpp::exceptions::InvalidTopicNameError, InvalidServiceNameError, InvalidNodeNameError, InvalidNamespaceError
/// \throws rclcpp::exceptions::RCLError for an unknown substitution
RCLCPP_PUBLIC std::string expand_topic_or_service_name(
  const std::string & name, const std::string & node_name, const std::string & namespace_, bool is_service = false);

}  // namespace rclcpp

#endif  // RCLCPP__EXPAND_TOPIC_OR_SERVICE_NAME_HPP_
