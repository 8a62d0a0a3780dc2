#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>

#include "../../tf2_geometry_msgs/test/independent.hpp"
#include "tf2_eigen/tf2_eigen.h"

namespace
{

using namespace geometry_msgs::msg;  // NOLINT

const tf2::TimePoint TIME{std::chrono::nanoseconds(1500000007)};
const tf2::TimePoint TIME_OF_TRANSFORM{std::chrono::nanoseconds(5000000006)};

Pose random_pose()
{
  Pose pose;
  randomize_xyz(pose.position);
  randomize(pose.orientation);
  return pose;
}

Vector vector_of(const Eigen::Vector3d & vector) {return {vector.x(), vector.y(), vector.z()};}

void expect_vector(const Vector & expected, const Eigen::Vector3d & vector)
{
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(expected[static_cast<size_t>(i)], vector[i], 1e-12);
  }
}

template<typename T>
void expect_stamp(const tf2::Stamped<T> & data)
{
  EXPECT_EQ("to", data.frame_id_);
  EXPECT_EQ(TIME_OF_TRANSFORM, data.stamp_);
}

TEST(Tf2Eigen, TransformToEigen)
{
  for (int i = 0; i < 50; ++i) {
    const TransformStamped transform = random_transform();
    const Eigen::Isometry3d made = tf2::transformToEigen(transform);
    expect_vector(transform_point(transform.transform, {1, 2, 3}), made * Eigen::Vector3d(1, 2, 3));
    EXPECT_TRUE(made.isApprox(tf2::transformToEigen(transform.transform)));
    const TransformStamped back = tf2::eigenToTransform(made);
    expect_xyz(xyz(transform.transform.translation), back.transform.translation);
    expect_same(transform.transform.rotation, back.transform.rotation);
    const TransformStamped affine = tf2::eigenToTransform(Eigen::Affine3d(made));
    expect_same(transform.transform.rotation, affine.transform.rotation);
    EXPECT_EQ("", back.header.frame_id);
  }
}

TEST(Tf2Eigen, Wrenches)
{
  const TransformStamped transform = random_transform();
  const Vector force = {1, -2, 3};
  const Vector torque = {-4, 5, 6};
  Eigen::VectorXd wrench(6);
  wrench << force[0], force[1], force[2], torque[0], torque[1], torque[2];
  tf2::doTransform(wrench, wrench, transform);
  ASSERT_EQ(6, wrench.size());
  const Vector rotated = rotate(transform.transform.rotation, force);
  const Vector about_origin = cross(xyz(transform.transform.translation), rotated);
  expect_vector(rotated, wrench.head<3>());
  expect_vector(add(rotate(transform.transform.rotation, torque), about_origin), wrench.tail<3>());
}

TEST(Tf2Eigen, Vectors)
{
  const TransformStamped transform = random_transform();
  const Eigen::Vector3d vector(1.5, -2.5, 3.5);
  expect_xyz({1.5, -2.5, 3.5}, tf2::toMsg(vector));
  expect_xyz({1.5, -2.5, 3.5}, tf2::toMsg2(vector));
  Vector3 message;
  EXPECT_EQ(&message, &tf2::toMsg(vector, message));
  Eigen::Vector3d back;
  tf2::fromMsg(message, back);
  EXPECT_EQ(vector, back);
  back.setZero();
  tf2::fromMsg(tf2::toMsg(vector), back);
  EXPECT_EQ(vector, back);

  const Vector expected = transform_point(transform.transform, vector_of(vector));
  Eigen::Vector3d out;
  tf2::doTransform(vector, out, transform);
  expect_vector(expected, out);
  Eigen::Vector3d same = vector;
  tf2::doTransform(same, same, transform);
  expect_vector(expected, same);
  Eigen::VectorXd dynamic = vector;
  tf2::doTransform(dynamic, dynamic, transform);
  ASSERT_EQ(3, dynamic.size());
  expect_vector(expected, dynamic);
  Eigen::VectorXd homogeneous(4);
  homogeneous << vector, 1.0;
  tf2::doTransform(homogeneous, homogeneous, transform);
  ASSERT_EQ(4, homogeneous.size());
  expect_vector(expected, homogeneous.head<3>());
  EXPECT_NEAR(1.0, homogeneous[3], 1e-12);

  Eigen::VectorXd unknown(5);
  EXPECT_THROW(tf2::doTransform(unknown, unknown, transform), std::invalid_argument);

  const tf2::Stamped<Eigen::Vector3d> stamped(vector, TIME, "frame");
  const PointStamped stamped_message = tf2::toMsg(stamped);
  EXPECT_EQ("frame", stamped_message.header.frame_id);
  EXPECT_EQ(1, stamped_message.header.stamp.sec);
  EXPECT_EQ(500000007u, stamped_message.header.stamp.nanosec);
  tf2::Stamped<Eigen::Vector3d> stamped_back;
  tf2::fromMsg(stamped_message, stamped_back);
  EXPECT_EQ(stamped, stamped_back);
  tf2::doTransform(stamped, stamped_back, transform);
  expect_vector(expected, stamped_back);
  expect_stamp(stamped_back);
}

TEST(Tf2Eigen, Quaternions)
{
  const TransformStamped transform = random_transform();
  Quaternion message;
  randomize(message);
  Eigen::Quaterniond quaternion;
  tf2::fromMsg(message, quaternion);
  EXPECT_EQ(message.w, quaternion.w());
  EXPECT_EQ(message.z, quaternion.z());
  EXPECT_EQ(message, tf2::toMsg(quaternion));
  Eigen::Quaterniond out;
  tf2::doTransform(quaternion, out, transform);
  expect_rotation(transform.transform.rotation, message, tf2::toMsg(out));

  const tf2::Stamped<Eigen::Quaterniond> stamped(quaternion, TIME, "frame");
  const QuaternionStamped stamped_message = tf2::toMsg(stamped);
  EXPECT_EQ(message, stamped_message.quaternion);
  EXPECT_EQ("frame", stamped_message.header.frame_id);
  tf2::Stamped<Eigen::Quaterniond> stamped_back;
  tf2::fromMsg(stamped_message, stamped_back);
  EXPECT_EQ("frame", stamped_back.frame_id_);
  EXPECT_EQ(TIME, stamped_back.stamp_);
  tf2::doTransform(stamped, stamped_back, transform);
  expect_stamp(stamped_back);
  expect_rotation(
    transform.transform.rotation, message, tf2::toMsg(static_cast<const Eigen::Quaterniond &>(stamped_back)));
}

template<typename T>
void check_poses()
{
  const TransformStamped transform = random_transform();
  const Pose message = random_pose();
  T pose;
  tf2::fromMsg(message, pose);
  Transform as_transform;
  as_transform.rotation = message.orientation;
  as_transform.translation.x = message.position.x;
  as_transform.translation.y = message.position.y;
  as_transform.translation.z = message.position.z;
  expect_vector(transform_point(as_transform, {1, 2, 3}), pose * Eigen::Vector3d(1, 2, 3));
  const Pose back = tf2::toMsg(pose);
  expect_xyz(xyz(message.position), back.position);
  expect_same(message.orientation, back.orientation);
  EXPECT_GE(back.orientation.w, 0.0);

  T out;
  tf2::doTransform(pose, out, transform);
  expect_xyz(transform_point(transform.transform, xyz(message.position)), tf2::toMsg(out).position);
  expect_rotation(transform.transform.rotation, message.orientation, tf2::toMsg(out).orientation);

  const tf2::Stamped<T> stamped(pose, TIME, "frame");
  const PoseStamped stamped_message = tf2::toMsg(stamped);
  EXPECT_EQ("frame", stamped_message.header.frame_id);
  expect_xyz(xyz(message.position), stamped_message.pose.position);
  tf2::Stamped<T> stamped_back;
  tf2::fromMsg(stamped_message, stamped_back);
  EXPECT_EQ(TIME, stamped_back.stamp_);
  EXPECT_TRUE(pose.isApprox(stamped_back, 1e-12));
  tf2::doTransform(stamped, stamped_back, transform);
  expect_stamp(stamped_back);
  EXPECT_TRUE(out.isApprox(stamped_back, 1e-12));
}

TEST(Tf2Eigen, Poses)
{
  for (int i = 0; i < 50; ++i) {
    check_poses<Eigen::Affine3d>();
    check_poses<Eigen::Isometry3d>();
  }
}

TEST(Tf2Eigen, Twists)
{
  Eigen::Matrix<double, 6, 1> twist;
  twist << 1, 2, 3, 4, 5, 6;
  const Twist message = tf2::toMsg(twist);
  expect_xyz({1, 2, 3}, message.linear);
  expect_xyz({4, 5, 6}, message.angular);
  Eigen::Matrix<double, 6, 1> back;
  tf2::fromMsg(message, back);
  EXPECT_EQ(twist, back);
}

TEST(Tf2Eigen, ConvertFindsTheFunctions)
{
  const Pose message = random_pose();
  Eigen::Isometry3d isometry;
  tf2::convert(message, isometry);
  Pose back;
  tf2::convert(isometry, back);
  expect_xyz(xyz(message.position), back.position);
  Eigen::Affine3d affine;
  tf2::convert(message, affine);
  EXPECT_TRUE(affine.isApprox(Eigen::Affine3d(isometry)));
  const Eigen::Vector3d vector(1, 2, 3);
  Point point;
  tf2::convert(vector, point);
  expect_xyz({1, 2, 3}, point);
  Eigen::Vector3d vector_back;
  tf2::convert(point, vector_back);
  EXPECT_EQ(vector, vector_back);
  Vector3 vector_message;
  vector_message.x = 4;
  tf2::convert(vector_message, vector_back);
  EXPECT_EQ(4, vector_back.x());
  Eigen::Quaterniond quaternion;
  tf2::convert(message.orientation, quaternion);
  Quaternion quaternion_message;
  tf2::convert(quaternion, quaternion_message);
  EXPECT_EQ(message.orientation, quaternion_message);
}

}  // namespace
