// Receives transforms into a buffer.
#ifndef TF2_ROS_TRANSFORM_LISTENER_HPP_
#define TF2_ROS_TRANSFORM_LISTENER_HPP_

#include <memory>
#include <utility>

#include "rclcpp/rclcpp.hpp"
#include "tf2/buffer_core.hpp"
#include "tf2_msgs/msg/tf_message.hpp"
#include "tf2_ros/qos.hpp"
#include "tf2_ros/visibility_control.hpp"

namespace tf2_ros
{

namespace detail
{

/// Returns the options of a subscription of /tf: its QoS can be overridden by parameters.
template<class AllocatorT = std::allocator<void>>
rclcpp::SubscriptionOptionsWithAllocator<AllocatorT> get_default_transform_listener_sub_options()
{
  rclcpp::SubscriptionOptionsWithAllocator<AllocatorT> options;
  options.qos_overriding_options = rclcpp::QosOverridingOptions{
    rclcpp::QosPolicyKind::Depth, rclcpp::QosPolicyKind::Durability, rclcpp::QosPolicyKind::History,
    rclcpp::QosPolicyKind::Reliability};
  return options;
}

/// Returns the options of a subscription of /tf_static.
template<class AllocatorT = std::allocator<void>>
rclcpp::SubscriptionOptionsWithAllocator<AllocatorT> get_default_transform_listener_static_sub_options()
{
  rclcpp::SubscriptionOptionsWithAllocator<AllocatorT> options;
  options.qos_overriding_options = rclcpp::QosOverridingOptions{
    rclcpp::QosPolicyKind::Depth, rclcpp::QosPolicyKind::History, rclcpp::QosPolicyKind::Reliability};
  return options;
}

}  // namespace detail

/// Receives /tf and /tf_static into a buffer until it is destroyed.
///
/// With `spin_thread` a thread of its own does it; otherwise the executor of the node. The destructor waits for a callback
/// that runs, so that the buffer may be destroyed afterwards.
class TF2_ROS_PUBLIC TransformListener
{
public:
  /// Receives with a node of its own.
  explicit TransformListener(tf2::BufferCore & buffer, bool spin_thread = true);

  /// Receives with a node, which is given as a pointer or a reference.
  template<class NodeT, class AllocatorT = std::allocator<void>>
  TransformListener(
    tf2::BufferCore & buffer, NodeT && node, bool spin_thread = true, const rclcpp::QoS & qos = DynamicListenerQoS(),
    const rclcpp::QoS & static_qos = StaticListenerQoS(),
    const rclcpp::SubscriptionOptionsWithAllocator<AllocatorT> & options =
    detail::get_default_transform_listener_sub_options<AllocatorT>(),
    const rclcpp::SubscriptionOptionsWithAllocator<AllocatorT> & static_options =
    detail::get_default_transform_listener_static_sub_options<AllocatorT>())
  : TransformListener(
      buffer, rclcpp::node_interfaces::get_node_base_interface(node),
      rclcpp::node_interfaces::get_node_logging_interface(node),
      rclcpp::node_interfaces::get_node_parameters_interface(node),
      rclcpp::node_interfaces::get_node_topics_interface(node), spin_thread, qos, static_qos, options, static_options)
  {
  }

  /// Receives with the interfaces of a node.
  template<class AllocatorT = std::allocator<void>>
  TransformListener(
    tf2::BufferCore & buffer, rclcpp::node_interfaces::NodeBaseInterface::SharedPtr node_base,
    rclcpp::node_interfaces::NodeLoggingInterface::SharedPtr node_logging,
    rclcpp::node_interfaces::NodeParametersInterface::SharedPtr node_parameters,
    rclcpp::node_interfaces::NodeTopicsInterface::SharedPtr node_topics, bool spin_thread = true,
    const rclcpp::QoS & qos = DynamicListenerQoS(), const rclcpp::QoS & static_qos = StaticListenerQoS(),
    const rclcpp::SubscriptionOptionsWithAllocator<AllocatorT> & options =
    detail::get_default_transform_listener_sub_options<AllocatorT>(),
    const rclcpp::SubscriptionOptionsWithAllocator<AllocatorT> & static_options =
    detail::get_default_transform_listener_static_sub_options<AllocatorT>())
  : buffer_(buffer)
  {
    open({std::move(node_base), std::move(node_logging), std::move(node_parameters), std::move(node_topics)},
      spin_thread, qos, static_qos, options, static_options);
  }

  TransformListener(const TransformListener &) = delete;
  TransformListener & operator=(const TransformListener &) = delete;
  virtual ~TransformListener();

  /// Sets the transforms of a message in the buffer.
  virtual void subscription_callback(tf2_msgs::msg::TFMessage::ConstSharedPtr msg, bool is_static);

private:
  struct Interfaces
  {
    rclcpp::node_interfaces::NodeBaseInterface::SharedPtr base;
    rclcpp::node_interfaces::NodeLoggingInterface::SharedPtr logging;
    rclcpp::node_interfaces::NodeParametersInterface::SharedPtr parameters;
    rclcpp::node_interfaces::NodeTopicsInterface::SharedPtr topics;
  };
  class Thread;

  void open(
    Interfaces node, bool spin_thread, const rclcpp::QoS & qos, const rclcpp::QoS & static_qos,
    rclcpp::SubscriptionOptionsBase options, rclcpp::SubscriptionOptionsBase static_options);
  std::shared_ptr<rclcpp::SubscriptionBase> subscribe(
    Interfaces & node, const char * topic, bool is_static, const rclcpp::QoS & qos,
    const rclcpp::SubscriptionOptionsBase & options);

  tf2::BufferCore & buffer_;
  // A node of its own.
  rclcpp::Node::SharedPtr node_;
  std::shared_ptr<Thread> thread_;
  std::shared_ptr<rclcpp::SubscriptionBase> subscription_;
  std::shared_ptr<rclcpp::SubscriptionBase> static_subscription_;
};

}  // namespace tf2_ros

#endif
