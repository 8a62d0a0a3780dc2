// The types of tf2, their arithmetic, and their messages.
#include "common.hpp"

#include "geometry_msgs/msg/pose.hpp"
#include "geometry_msgs/msg/quaternion.hpp"
#include "geometry_msgs/msg/transform_stamped.hpp"
#include "tf2/LinearMath/Matrix3x3.h"
#include "tf2/LinearMath/Quaternion.h"
#include "tf2/LinearMath/Transform.h"
#include "tf2/LinearMath/Vector3.h"
#include "tf2/convert.h"
#include "tf2/time.h"
#include "tf2/transform_datatypes.h"
#include "tf2/utils.h"
#include "tf2_eigen/tf2_eigen.hpp"
#include "tf2_geometry_msgs/tf2_geometry_msgs.hpp"
#include "tf2_ros/buffer_interface.h"

namespace
{

constexpr double quarter = 1.57079632679489661923;

}  // namespace

TEST(Rotations, angles_make_a_quaternion)
{
  tf2::Quaternion rotation;
  rotation.setRPY(0.0, 0.0, quarter);
  EXPECT_NEAR(tf2::getYaw(rotation), quarter, 1e-12);
  double roll, pitch, yaw;
  tf2::Matrix3x3(rotation).getRPY(roll, pitch, yaw);
  EXPECT_NEAR(yaw, quarter, 1e-12);
  EXPECT_NEAR(tf2::quatRotate(rotation, tf2::Vector3(1.0, 0.0, 0.0)).y(), 1.0, 1e-12);
  EXPECT_EQ(tf2::Quaternion::getIdentity().w(), 1.0);
}

TEST(Rotations, transforms_move_points)
{
  tf2::Quaternion rotation;
  rotation.setRPY(0.0, 0.0, quarter);
  const tf2::Transform transform(rotation, tf2::Vector3(1.0, 2.0, 3.0));
  const tf2::Vector3 moved = transform * tf2::Vector3(1.0, 0.0, 0.0);
  EXPECT_NEAR(moved.distance(tf2::Vector3(1.0, 3.0, 3.0)), 0.0, 1e-12);
  EXPECT_NEAR((transform * transform.inverse()).getOrigin().length(), 0.0, 1e-12);
  EXPECT_EQ(tf2::Transform::getIdentity().getOrigin(), tf2::Vector3(0.0, 0.0, 0.0));
}

TEST(Conversions, messages_are_converted_both_ways)
{
  tf2::Quaternion rotation;
  rotation.setRPY(0.1, 0.2, 0.3);
  const geometry_msgs::msg::Quaternion message = tf2::toMsg(rotation);
  tf2::Quaternion back;
  tf2::fromMsg(message, back);
  EXPECT_NEAR(back.dot(rotation), 1.0, 1e-12);
  EXPECT_NEAR(tf2::getYaw(message), 0.3, 1e-12);
  geometry_msgs::msg::Quaternion converted;
  tf2::convert(rotation, converted);
  EXPECT_EQ(converted, message);
  geometry_msgs::msg::Pose pose;
  tf2::toMsg(tf2::Transform(rotation, tf2::Vector3(1.0, 2.0, 3.0)), pose);
  EXPECT_EQ(pose.position.y, 2.0);
}

TEST(Conversions, poses_are_transformed)
{
  geometry_msgs::msg::TransformStamped transform;
  transform.transform.translation.x = 1.0;
  transform.transform.rotation.w = 1.0;
  geometry_msgs::msg::Pose pose;
  pose.position.x = 2.0;
  geometry_msgs::msg::Pose moved;
  tf2::doTransform(pose, moved, transform);
  EXPECT_EQ(moved.position.x, 3.0);
}

TEST(Conversions, stamped_data_has_a_time_and_a_frame)
{
  const tf2::Stamped<tf2::Transform> stamped(tf2::Transform::getIdentity(), tf2::TimePointZero, "map");
  EXPECT_EQ(stamped.frame_id_, "map");
  const geometry_msgs::msg::TransformStamped message = tf2::toMsg(stamped);
  EXPECT_EQ(message.header.frame_id, "map");
  tf2::Stamped<tf2::Transform> back;
  tf2::fromMsg(message, back);
  EXPECT_EQ(back.stamp_, tf2::TimePointZero);
}

TEST(Conversions, times_are_points)
{
  const tf2::TimePoint point = tf2_ros::fromMsg(rclcpp::Time(5, 500000000, RCL_ROS_TIME));
  EXPECT_EQ(tf2::timeToSec(point), 5.5);
  const tf2::Duration second = tf2::durationFromSec(1.0);
  EXPECT_EQ(second, 1s);
  EXPECT_GT(tf2::get_now(), point + second);
}

TEST(Conversions, eigen_has_transforms)
{
  geometry_msgs::msg::TransformStamped message;
  message.transform.translation.z = 4.0;
  message.transform.rotation.w = 1.0;
  const Eigen::Isometry3d transform = tf2::transformToEigen(message);
  EXPECT_EQ(transform.translation().z(), 4.0);
  EXPECT_EQ(tf2::eigenToTransform(transform).transform.translation.z, 4.0);
}
