#include "tf2_ros/transform_broadcaster.hpp"

namespace tf2_ros
{

void TransformBroadcaster::open(
  rclcpp::node_interfaces::NodeParametersInterface::SharedPtr node_parameters,
  rclcpp::node_interfaces::NodeTopicsInterface::SharedPtr node_topics, const rclcpp::QoS & qos,
  const rclcpp::PublisherOptionsBase & options)
{
  publisher_ = rclcpp::create_publisher<tf2_msgs::msg::TFMessage>(
    node_parameters, node_topics, "/tf", qos, rclcpp::PublisherOptions(options));
}

void TransformBroadcaster::sendTransform(const geometry_msgs::msg::TransformStamped & transform)
{
  sendTransform(std::vector<geometry_msgs::msg::TransformStamped>{transform});
}

void TransformBroadcaster::sendTransform(const std::vector<geometry_msgs::msg::TransformStamped> & transforms)
{
  tf2_msgs::msg::TFMessage message;
  message.transforms = transforms;
  publisher_->publish(message);
}

}  // namespace tf2_ros
