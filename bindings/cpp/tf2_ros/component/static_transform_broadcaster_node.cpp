#include "tf2_ros/static_transform_broadcaster_node.hpp"

#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>

#include "rclcpp_components/register_node_macro.hpp"

namespace tf2_ros
{

namespace
{

/// Returns a name that no other node has.
std::string unique_name()
{
  std::random_device random;
  const std::uint64_t number = (static_cast<std::uint64_t>(random()) << 32) | random();
  return "static_transform_publisher_" + std::to_string(number);
}

template<class T>
T declare(rclcpp::Node & node, const std::string & name, const T & value)
{
  rcl_interfaces::msg::ParameterDescriptor descriptor;
  descriptor.read_only = true;
  return node.declare_parameter(name, value, descriptor);
}

}  // namespace

StaticTransformBroadcasterNode::StaticTransformBroadcasterNode(const rclcpp::NodeOptions & options)
: rclcpp::Node(unique_name(), options)
{
  geometry_msgs::msg::TransformStamped message;
  message.transform.translation.x = declare(*this, "translation.x", 0.0);
  message.transform.translation.y = declare(*this, "translation.y", 0.0);
  message.transform.translation.z = declare(*this, "translation.z", 0.0);
  message.transform.rotation.x = declare(*this, "rotation.x", 0.0);
  message.transform.rotation.y = declare(*this, "rotation.y", 0.0);
  message.transform.rotation.z = declare(*this, "rotation.z", 0.0);
  message.transform.rotation.w = declare(*this, "rotation.w", 1.0);
  message.header.frame_id = declare<std::string>(*this, "frame_id", "/frame");
  message.child_frame_id = declare<std::string>(*this, "child_frame_id", "/child");
  if (message.header.frame_id == message.child_frame_id) {
    RCLCPP_ERROR(get_logger(), "cannot publish static transform from '%s' to '%s', exiting",
      message.header.frame_id.c_str(), message.child_frame_id.c_str());
    throw std::runtime_error("child_frame_id cannot equal frame_id");
  }
  message.header.stamp = now();
  broadcaster_ = std::make_unique<StaticTransformBroadcaster>(this);
  broadcaster_->sendTransform(message);
}

StaticTransformBroadcasterNode::~StaticTransformBroadcasterNode() = default;

}  // namespace tf2_ros

RCLCPP_COMPONENTS_REGISTER_NODE(tf2_ros::StaticTransformBroadcasterNode)
