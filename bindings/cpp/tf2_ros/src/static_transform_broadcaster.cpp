#include "tf2_ros/static_transform_broadcaster.hpp"

namespace tf2_ros
{

void StaticTransformBroadcaster::open(
  rclcpp::node_interfaces::NodeParametersInterface::SharedPtr node_parameters,
  rclcpp::node_interfaces::NodeTopicsInterface::SharedPtr node_topics, const rclcpp::QoS & qos,
  const rclcpp::PublisherOptionsBase & options)
{
  publisher_ = rclcpp::create_publisher<tf2_msgs::msg::TFMessage>(
    node_parameters, node_topics, "/tf_static", qos, rclcpp::PublisherOptions(options));
}

void StaticTransformBroadcaster::sendTransform(const geometry_msgs::msg::TransformStamped & transform)
{
  sendTransform(std::vector<geometry_msgs::msg::TransformStamped>{transform});
}

void StaticTransformBroadcaster::sendTransform(const std::vector<geometry_msgs::msg::TransformStamped> & transforms)
{
  // Published with the lock, so that the last message has all transforms.
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto & transform : transforms) {
    sent_[transform.child_frame_id] = transform;
  }
  tf2_msgs::msg::TFMessage message;
  message.transforms.reserve(sent_.size());
  for (const auto & [child, transform] : sent_) {
    message.transforms.push_back(transform);
  }
  publisher_->publish(message);
}

}  // namespace tf2_ros
