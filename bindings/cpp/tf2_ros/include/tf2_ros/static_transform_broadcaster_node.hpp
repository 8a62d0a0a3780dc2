// A node that publishes one transform that never changes.
#ifndef TF2_ROS_STATIC_TRANSFORM_BROADCASTER_NODE_HPP_
#define TF2_ROS_STATIC_TRANSFORM_BROADCASTER_NODE_HPP_

#include <memory>

#include "rclcpp/rclcpp.hpp"
#include "tf2_ros/static_transform_broadcaster.hpp"
#include "tf2_ros/visibility_control.hpp"

namespace tf2_ros
{

/// Publishes the transform that its parameters describe.
///
/// The parameters are `translation.{x,y,z}` in meters, the quaternion `rotation.{x,y,z,w}`, `frame_id` and `child_frame_id`. They can't
/// be changed later. The name of the node is unique, so that several of them run beside each other.
class TF2_ROS_PUBLIC StaticTransformBroadcasterNode final : public rclcpp::Node
{
public:
  /// Publishes the transform. Throws std::runtime_error if both frames are the same one.
  explicit StaticTransformBroadcasterNode(const rclcpp::NodeOptions & options = rclcpp::NodeOptions());

  ~StaticTransformBroadcasterNode() override;

private:
  std::unique_ptr<StaticTransformBroadcaster> broadcaster_;
};

}  // namespace tf2_ros

#endif
