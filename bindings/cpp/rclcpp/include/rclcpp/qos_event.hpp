#ifndef RCLCPP__QOS_EVENT_HPP_
#define RCLCPP__QOS_EVENT_HPP_

#include "rclcpp/event_handler.hpp"

#endif  // RCLCPP__QOS_EVENT_HPP_
