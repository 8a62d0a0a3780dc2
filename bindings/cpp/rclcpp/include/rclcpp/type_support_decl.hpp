#ifndef RCLCPP__TYPE_SUPPORT_DECL_HPP_
#define RCLCPP__TYPE_SUPPORT_DECL_HPP_

#include "rclcpp/get_message_type_support_handle.hpp"

#endif  // RCLCPP__TYPE_SUPPORT_DECL_HPP_
