#ifndef RCLCPP__NODE_INTERFACES__NODE_TOPICS_INTERFACE_TRAITS_HPP_
#define RCLCPP__NODE_INTERFACES__NODE_TOPICS_INTERFACE_TRAITS_HPP_

// has_node_topics_interface is defined with the interface.
#include "rclcpp/node_interfaces/node_topics_interface.hpp"

#endif  // RCLCPP__NODE_INTERFACES__NODE_TOPICS_INTERFACE_TRAITS_HPP_
