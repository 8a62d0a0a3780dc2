#include <gtest/gtest.h>

#include <chrono>

#include "../../tf2_geometry_msgs/test/independent.hpp"
#include "tf2_kdl/tf2_kdl.h"

namespace
{

using namespace geometry_msgs::msg;  // NOLINT

const tf2::TimePoint TIME{std::chrono::nanoseconds(1500000007)};
const tf2::TimePoint TIME_OF_TRANSFORM{std::chrono::nanoseconds(5000000006)};

KDL::Vector random_vector() {return KDL::Vector(random_number(), random_number(), random_number());}

Vector vector_of(const KDL::Vector & vector) {return {vector.x(), vector.y(), vector.z()};}

void expect_vector(const Vector & expected, const KDL::Vector & vector)
{
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(expected[static_cast<size_t>(i)], vector(i), 1e-12);
  }
}

template<typename T>
void expect_stamp(const tf2::Stamped<T> & data)
{
  EXPECT_EQ("to", data.frame_id_);
  EXPECT_EQ(TIME_OF_TRANSFORM, data.stamp_);
}

template<typename Header>
void expect_header(const Header & header)
{
  EXPECT_EQ("frame", header.frame_id);
  EXPECT_EQ(1, header.stamp.sec);
  EXPECT_EQ(500000007u, header.stamp.nanosec);
}

TEST(Tf2Kdl, TransformToKdl)
{
  for (int i = 0; i < 50; ++i) {
    const TransformStamped transform = random_transform();
    const KDL::Frame frame = tf2::transformToKDL(transform);
    expect_vector(transform_point(transform.transform, {1, 2, 3}), frame * KDL::Vector(1, 2, 3));
    const TransformStamped back = tf2::kdlToTransform(frame);
    expect_xyz(xyz(transform.transform.translation), back.transform.translation);
    expect_same(transform.transform.rotation, back.transform.rotation);
  }
}

TEST(Tf2Kdl, Vectors)
{
  const TransformStamped transform = random_transform();
  const tf2::Stamped<KDL::Vector> vector(random_vector(), TIME, "frame");
  const PointStamped message = tf2::toMsg(vector);
  expect_header(message.header);
  expect_xyz(vector_of(vector), message.point);
  tf2::Stamped<KDL::Vector> back;
  tf2::fromMsg(message, back);
  EXPECT_EQ(vector, back);
  tf2::doTransform(vector, back, transform);
  expect_vector(transform_point(transform.transform, vector_of(vector)), back);
  expect_stamp(back);
}

TEST(Tf2Kdl, Twists)
{
  const TransformStamped transform = random_transform();
  const tf2::Stamped<KDL::Twist> twist(KDL::Twist(random_vector(), random_vector()), TIME, "frame");
  const TwistStamped message = tf2::toMsg(twist);
  expect_header(message.header);
  expect_xyz(vector_of(twist.vel), message.twist.linear);
  expect_xyz(vector_of(twist.rot), message.twist.angular);
  tf2::Stamped<KDL::Twist> back;
  tf2::fromMsg(message, back);
  EXPECT_EQ(twist, back);
  tf2::doTransform(twist, back, transform);
  const Vector angular = rotate(transform.transform.rotation, vector_of(twist.rot));
  const Vector linear = rotate(transform.transform.rotation, vector_of(twist.vel));
  expect_vector(angular, back.rot);
  expect_vector(add(linear, cross(xyz(transform.transform.translation), angular)), back.vel);
  expect_stamp(back);
}

TEST(Tf2Kdl, Wrenches)
{
  const TransformStamped transform = random_transform();
  const tf2::Stamped<KDL::Wrench> wrench(KDL::Wrench(random_vector(), random_vector()), TIME, "frame");
  const WrenchStamped message = tf2::toMsg(wrench);
  expect_header(message.header);
  expect_xyz(vector_of(wrench.force), message.wrench.force);
  expect_xyz(vector_of(wrench.torque), message.wrench.torque);
  tf2::Stamped<KDL::Wrench> back;
  tf2::fromMsg(message, back);
  EXPECT_EQ(wrench, back);
  tf2::doTransform(wrench, back, transform);
  const Vector force = rotate(transform.transform.rotation, vector_of(wrench.force));
  const Vector torque = rotate(transform.transform.rotation, vector_of(wrench.torque));
  expect_vector(force, back.force);
  expect_vector(add(torque, cross(xyz(transform.transform.translation), force)), back.torque);
  expect_stamp(back);
}

TEST(Tf2Kdl, Frames)
{
  const TransformStamped transform = random_transform();
  Pose pose;
  randomize_xyz(pose.position);
  randomize(pose.orientation);
  KDL::Frame frame;
  tf2::fromMsg(pose, frame);
  const Pose pose_back = tf2::toMsg(frame);
  expect_xyz(xyz(pose.position), pose_back.position);
  expect_same(pose.orientation, pose_back.orientation);

  const tf2::Stamped<KDL::Frame> stamped(frame, TIME, "frame");
  const PoseStamped message = tf2::toMsg(stamped);
  expect_header(message.header);
  expect_same(pose.orientation, message.pose.orientation);
  tf2::Stamped<KDL::Frame> back;
  tf2::fromMsg(message, back);
  EXPECT_EQ("frame", back.frame_id_);
  EXPECT_EQ(TIME, back.stamp_);
  EXPECT_TRUE(KDL::Equal(frame, back, 1e-12));
  tf2::doTransform(stamped, back, transform);
  expect_stamp(back);
  expect_vector(transform_point(transform.transform, xyz(pose.position)), back.p);
  expect_rotation(transform.transform.rotation, pose.orientation, tf2::toMsg(back).pose.orientation);
}

TEST(Tf2Kdl, ConvertFindsTheFunctionsOfStampedData)
{
  const tf2::Stamped<KDL::Vector> vector(random_vector(), TIME, "frame");
  PointStamped message;
  tf2::convert(vector, message);
  tf2::Stamped<KDL::Vector> back;
  tf2::convert(message, back);
  EXPECT_EQ(vector, back);
}

}  // namespace
