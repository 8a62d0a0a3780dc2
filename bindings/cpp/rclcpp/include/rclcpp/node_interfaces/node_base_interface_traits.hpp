#ifndef RCLCPP__NODE_INTERFACES__NODE_BASE_INTERFACE_TRAITS_HPP_
#define RCLCPP__NODE_INTERFACES__NODE_BASE_INTERFACE_TRAITS_HPP_

// has_node_base_interface is defined with the interface.
#include "rclcpp/node_interfaces/node_base_interface.hpp"

#endif  // RCLCPP__NODE_INTERFACES__NODE_BASE_INTERFACE_TRAITS_HPP_
