#include <gtest/gtest.h>

#include <chrono>

#include "../../tf2_geometry_msgs/test/independent.hpp"
#include "tf2_bullet/tf2_bullet.h"

namespace
{

using namespace geometry_msgs::msg;  // NOLINT

const tf2::TimePoint TIME{std::chrono::nanoseconds(1500000007)};
const tf2::TimePoint TIME_OF_TRANSFORM{std::chrono::nanoseconds(5000000006)};

// The numbers of Bullet are floats unless it is built otherwise.
void expect_vector(const Vector & expected, const btVector3 & vector)
{
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(expected[static_cast<size_t>(i)], static_cast<double>(vector[i]), 1e-4);
  }
}

TEST(Tf2Bullet, TransformToBullet)
{
  for (int i = 0; i < 50; ++i) {
    const TransformStamped transform = random_transform();
    const btTransform made = tf2::transformToBullet(transform);
    expect_vector(transform_point(transform.transform, {1, 2, 3}), made * btVector3(1, 2, 3));
  }
}

TEST(Tf2Bullet, Vectors)
{
  const TransformStamped transform = random_transform();
  const tf2::Stamped<btVector3> vector(btVector3(1.5, -2.5, 3.5), TIME, "frame");
  const PointStamped message = tf2::toMsg(vector);
  EXPECT_EQ("frame", message.header.frame_id);
  EXPECT_EQ(1, message.header.stamp.sec);
  EXPECT_EQ(500000007u, message.header.stamp.nanosec);
  expect_xyz({1.5, -2.5, 3.5}, message.point);
  tf2::Stamped<btVector3> back;
  tf2::fromMsg(message, back);
  EXPECT_EQ(vector, back);
  tf2::doTransform(vector, back, transform);
  expect_vector(transform_point(transform.transform, {1.5, -2.5, 3.5}), back);
  EXPECT_EQ("to", back.frame_id_);
  EXPECT_EQ(TIME_OF_TRANSFORM, back.stamp_);
}

TEST(Tf2Bullet, Transforms)
{
  const TransformStamped first = random_transform();
  const TransformStamped second = random_transform();
  const tf2::Stamped<btTransform> in(tf2::transformToBullet(first), TIME, "frame");
  tf2::Stamped<btTransform> out;
  tf2::doTransform(in, out, second);
  const Vector expected = transform_point(second.transform, transform_point(first.transform, {1, 2, 3}));
  expect_vector(expected, out * btVector3(1, 2, 3));
  EXPECT_EQ("to", out.frame_id_);
  EXPECT_EQ(TIME_OF_TRANSFORM, out.stamp_);
}

}  // namespace
