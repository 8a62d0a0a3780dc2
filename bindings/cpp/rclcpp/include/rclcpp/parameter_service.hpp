#ifndef RCLCPP__PARAMETER_SERVICE_HPP_
#define RCLCPP__PARAMETER_SERVICE_HPP_

// The services for the parameters of a node are those of the node itself: see NodeOptions::start_parameter_services(). The
// header is there for code that includes it.
#include "rclcpp/node.hpp"
#include "rclcpp/parameter.hpp"
#include "rclcpp/qos.hpp"

#endif  // RCLCPP__PARAMETER_SERVICE_HPP_
