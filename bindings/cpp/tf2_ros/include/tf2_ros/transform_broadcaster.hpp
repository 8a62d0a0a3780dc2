// Publishes transforms.
#ifndef TF2_ROS_TRANSFORM_BROADCASTER_HPP_
#define TF2_ROS_TRANSFORM_BROADCASTER_HPP_

#include <memory>
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

/// Returns the options of a publisher of /tf: its QoS can be overridden by parameters.
template<class AllocatorT = std::allocator<void>>
rclcpp::PublisherOptionsWithAllocator<AllocatorT> get_default_transform_broadcaster_options()
{
  rclcpp::PublisherOptionsWithAllocator<AllocatorT> options;
  options.qos_overriding_options = rclcpp::QosOverridingOptions{
    rclcpp::QosPolicyKind::Depth, rclcpp::QosPolicyKind::Durability, rclcpp::QosPolicyKind::History,
    rclcpp::QosPolicyKind::Reliability};
  return options;
}

}  // namespace detail

/// Publishes transforms on /tf.
class TF2_ROS_PUBLIC TransformBroadcaster
{
public:
  /// Publishes with a node, which is given as a pointer or a reference.
  template<class NodeT, class AllocatorT = std::allocator<void>>
  TransformBroadcaster(
    NodeT && node, const rclcpp::QoS & qos = DynamicBroadcasterQoS(),
    const rclcpp::PublisherOptionsWithAllocator<AllocatorT> & options =
    detail::get_default_transform_broadcaster_options<AllocatorT>())
  : TransformBroadcaster(
      rclcpp::node_interfaces::get_node_parameters_interface(node),
      rclcpp::node_interfaces::get_node_topics_interface(node), qos, options)
  {
  }

  /// Publishes with the interfaces of a node.
  template<class AllocatorT = std::allocator<void>>
  TransformBroadcaster(
    rclcpp::node_interfaces::NodeParametersInterface::SharedPtr node_parameters,
    rclcpp::node_interfaces::NodeTopicsInterface::SharedPtr node_topics, const rclcpp::QoS & qos = DynamicBroadcasterQoS(),
    const rclcpp::PublisherOptionsWithAllocator<AllocatorT> & options =
    detail::get_default_transform_broadcaster_options<AllocatorT>())
  {
    open(std::move(node_parameters), std::move(node_topics), qos, options);
  }

  /// Sends a transform.
  void sendTransform(const geometry_msgs::msg::TransformStamped & transform);

  /// Sends transforms in one message.
  void sendTransform(const std::vector<geometry_msgs::msg::TransformStamped> & transforms);

private:
  void open(
    rclcpp::node_interfaces::NodeParametersInterface::SharedPtr node_parameters,
    rclcpp::node_interfaces::NodeTopicsInterface::SharedPtr node_topics, const rclcpp::QoS & qos,
    const rclcpp::PublisherOptionsBase & options);

  rclcpp::Publisher<tf2_msgs::msg::TFMessage>::SharedPtr publisher_;
};

}  // namespace tf2_ros

#endif
