// The quality of service of /tf and /tf_static.
#ifndef TF2_ROS_QOS_HPP_
#define TF2_ROS_QOS_HPP_

#include <cstddef>

#include "rclcpp/qos.hpp"
#include "tf2_ros/visibility_control.hpp"

namespace tf2_ros
{

/// For subscriptions of /tf: the last 100 messages.
class TF2_ROS_PUBLIC DynamicListenerQoS : public rclcpp::QoS
{
public:
  explicit DynamicListenerQoS(std::size_t depth = 100)
  : rclcpp::QoS(depth) {}
};

/// For publishers of /tf: the last 100 messages.
class TF2_ROS_PUBLIC DynamicBroadcasterQoS : public rclcpp::QoS
{
public:
  explicit DynamicBroadcasterQoS(std::size_t depth = 100)
  : rclcpp::QoS(depth) {}
};

/// For subscriptions of /tf_static: the last 100 messages, also those from before.
class TF2_ROS_PUBLIC StaticListenerQoS : public rclcpp::QoS
{
public:
  explicit StaticListenerQoS(std::size_t depth = 100)
  : rclcpp::QoS(depth)
  {
    transient_local();
  }
};

/// For publishers of /tf_static: the last message, also for later subscriptions.
class TF2_ROS_PUBLIC StaticBroadcasterQoS : public rclcpp::QoS
{
public:
  explicit StaticBroadcasterQoS(std::size_t depth = 1)
  : rclcpp::QoS(depth)
  {
    transient_local();
  }
};

}  // namespace tf2_ros

#endif
