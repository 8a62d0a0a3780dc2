#ifndef RCLCPP__QOS_EVENT_HPP_
#define RCLCPP__QOS_EVENT_HPP_

#include "rclcpp/event_handler.hpp"

namespace rclcpp
{

/// The name before Iron.
using QOSEventHandlerBase [[deprecated("Use rclcpp::EventHandlerBase")]] = EventHandlerBase;

}  // namespace rclcpp

#endif  // RCLCPP__QOS_EVENT_HPP_
