// Publishes transforms that never change.
#ifndef TF2_ROS_STATIC_TRANSFORM_BROADCASTER_HPP_
#define TF2_ROS_STATIC_TRANSFORM_BROADCASTER_HPP_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "geometry_msgs/msg/transform_stamped.hpp"
#include "rclcpp/rclcpp.hpp"
#include "tf2_msgs/msg/tf_message.hpp"
#include "tf2_ros/qos.hpp"
#include "tf2_ros/visibility_control.hpp"

namespace tf2_ros
{

namespace detail
{

/// Returns the options of a publisher of /tf_static: its QoS can be overridden by parameters.
template<class AllocatorT = std::allocator<void>>
rclcpp::PublisherOptionsWithAllocator<AllocatorT> get_default_static_transform_broadcaster_options()
{
  rclcpp::PublisherOptionsWithAllocator<AllocatorT> options;
  options.qos_overriding_options = rclcpp::QosOverridingOptions{
    rclcpp::QosPolicyKind::Depth, rclcpp::QosPolicyKind::History, rclcpp::QosPolicyKind::Reliability};
  return options;
}

}  // namespace detail

/// Publishes transforms that never change on /tf_static.
///
/// Each message has all transforms so far: a later listener gets the last message, and so all of them. Several threads may
/// send.
class TF2_ROS_PUBLIC StaticTransformBroadcaster
{
public:
  /// Publishes with a node, which is given as a pointer or a reference.
  template<class NodeT, class AllocatorT = std::allocator<void>>
  StaticTransformBroadcaster(
    NodeT && node, const rclcpp::QoS & qos = StaticBroadcasterQoS(),
    const rclcpp::PublisherOptionsWithAllocator<AllocatorT> & options =
    detail::get_default_static_transform_broadcaster_options<AllocatorT>())
  : StaticTransformBroadcaster(
      rclcpp::node_interfaces::get_node_parameters_interface(node),
      rclcpp::node_interfaces::get_node_topics_interface(node), qos, options)
  {
  }

  /// Publishes with the interfaces of a node.
  template<class AllocatorT = std::allocator<void>>
  StaticTransformBroadcaster(
    rclcpp::node_interfaces::NodeParametersInterface::SharedPtr node_parameters,
    rclcpp::node_interfaces::NodeTopicsInterface::SharedPtr node_topics, const rclcpp::QoS & qos = StaticBroadcasterQoS(),
    const rclcpp::PublisherOptionsWithAllocator<AllocatorT> & options =
    detail::get_default_static_transform_broadcaster_options<AllocatorT>())
  {
    open(std::move(node_parameters), std::move(node_topics), qos, options);
  }

  /// Sends a transform, and all others so far. It replaces the one that was sent before for its child.
  void sendTransform(const geometry_msgs::msg::TransformStamped & transform);

  /// Sends transforms, and all others so far.
  void sendTransform(const std::vector<geometry_msgs::msg::TransformStamped> & transforms);

private:
  void open(
    rclcpp::node_interfaces::NodeParametersInterface::SharedPtr node_parameters,
    rclcpp::node_interfaces::NodeTopicsInterface::SharedPtr node_topics, const rclcpp::QoS & qos,
    const rclcpp::PublisherOptionsBase & options);

  rclcpp::Publisher<tf2_msgs::msg::TFMessage>::SharedPtr publisher_;
  std::mutex mutex_;
  // By their children.
  std::map<std::string, geometry_msgs::msg::TransformStamped> sent_;
};

}  // namespace tf2_ros

#endif
