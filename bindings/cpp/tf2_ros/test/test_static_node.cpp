// The node that publishes one transform that never changes.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "fixture.hpp"
#include "tf2_ros/static_transform_broadcaster_node.hpp"

#include "tf2_ros/buffer.h"
#include "tf2_ros/transform_listener.h"

namespace
{

class StaticNode : public NodeTest {};

TEST_F(StaticNode, publishes_the_transform_of_its_parameters)
{
  tf2_ros::Buffer buffer(node->get_clock());
  const tf2_ros::TransformListener listener(buffer, node);
  rclcpp::NodeOptions options;
  options.append_parameter_override("translation.x", 1.5);
  options.append_parameter_override("rotation.z", 1.0);
  options.append_parameter_override("rotation.w", 0.0);
  options.append_parameter_override("frame_id", "base");
  options.append_parameter_override("child_frame_id", "laser");
  tf2_ros::StaticTransformBroadcasterNode first(options);
  tf2_ros::StaticTransformBroadcasterNode second;
  EXPECT_STRNE(first.get_name(), second.get_name());
  ASSERT_TRUE(eventually([&] {return buffer.canTransform("base", "laser", tf2::TimePointZero);}));
  const auto found = buffer.lookupTransform("base", "laser", tf2::TimePointZero);
  EXPECT_EQ(found.transform.translation.x, 1.5);
  EXPECT_EQ(found.transform.rotation.z, 1.0);
  EXPECT_FALSE(first.set_parameter(rclcpp::Parameter("translation.x", 2.0)).successful);
}

TEST_F(StaticNode, refuses_one_frame_for_both)
{
  rclcpp::NodeOptions options;
  options.append_parameter_override("frame_id", "base");
  options.append_parameter_override("child_frame_id", "base");
  EXPECT_THROW(tf2_ros::StaticTransformBroadcasterNode{options}, std::runtime_error);
}

}  // namespace
