// toMsg, fromMsg and convert.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "independent.hpp"
#include "tf2/utils.h"
#include "tf2_geometry_msgs/tf2_geometry_msgs.h"

namespace
{

using namespace geometry_msgs::msg;  // NOLINT

const tf2::TimePoint TIME{std::chrono::nanoseconds(1500000007)};

tf2::Transform random_tf2_transform()
{
  Transform message = random_transform().transform;
  tf2::Transform transform;
  tf2::fromMsg(message, transform);
  return transform;
}

void expect_near(const tf2::Transform & expected, const tf2::Transform & transform)
{
  for (int row = 0; row < 3; ++row) {
    EXPECT_NEAR(expected.getOrigin().m_floats[row], transform.getOrigin().m_floats[row], 1e-12);
    for (int column = 0; column < 3; ++column) {
      EXPECT_NEAR(expected.getBasis()[row].m_floats[column], transform.getBasis()[row].m_floats[column], 1e-12);
    }
  }
}

TEST(Conversions, Vectors)
{
  const tf2::Vector3 vector(1.5, -2.5, 3.5);
  expect_xyz({1.5, -2.5, 3.5}, tf2::toMsg(vector));
  Point point;
  EXPECT_EQ(&point, &tf2::toMsg(vector, point));
  expect_xyz({1.5, -2.5, 3.5}, point);
  Point32 small;
  EXPECT_EQ(&small, &tf2::toMsg(vector, small));
  expect_xyz({1.5, -2.5, 3.5}, small);
  tf2::Vector3 back;
  tf2::fromMsg(tf2::toMsg(vector), back);
  EXPECT_EQ(vector, back);
  back.setZero();
  tf2::fromMsg(point, back);
  EXPECT_EQ(vector, back);
  back.setZero();
  tf2::fromMsg(small, back);
  EXPECT_EQ(vector, back);
}

TEST(Conversions, Quaternions)
{
  const tf2::Quaternion quaternion(0.1, 0.2, 0.3, 0.4);
  const Quaternion message = tf2::toMsg(quaternion);
  EXPECT_EQ(0.1, message.x);
  EXPECT_EQ(0.2, message.y);
  EXPECT_EQ(0.3, message.z);
  EXPECT_EQ(0.4, message.w);
  tf2::Quaternion back;
  tf2::fromMsg(message, back);
  EXPECT_EQ(quaternion, back);

  const tf2::Stamped<tf2::Quaternion> stamped(quaternion, TIME, "frame");
  const QuaternionStamped stamped_message = tf2::toMsg(stamped);
  EXPECT_EQ("frame", stamped_message.header.frame_id);
  EXPECT_EQ(1, stamped_message.header.stamp.sec);
  EXPECT_EQ(500000007u, stamped_message.header.stamp.nanosec);
  EXPECT_EQ(message, stamped_message.quaternion);
  tf2::Stamped<tf2::Quaternion> stamped_back;
  tf2::fromMsg(stamped_message, stamped_back);
  EXPECT_EQ(stamped, stamped_back);
}

TEST(Conversions, Transforms)
{
  for (int i = 0; i < 50; ++i) {
    const Transform message = random_transform().transform;
    tf2::Transform transform;
    tf2::fromMsg(message, transform);
    const tf2::Vector3 moved = transform * tf2::Vector3(1, 2, 3);
    expect_xyz(transform_point(message, {1, 2, 3}), tf2::toMsg(moved));
    const Transform back = tf2::toMsg(transform);
    expect_xyz(xyz(message.translation), back.translation);
    expect_same(message.rotation, back.rotation);
    Transform result;
    tf2::toMsg(transform, result);
    EXPECT_EQ(back, result);

    Pose pose;
    tf2::toMsg(transform, pose);
    expect_xyz(xyz(message.translation), pose.position);
    expect_same(message.rotation, pose.orientation);
    tf2::Transform from_pose;
    tf2::fromMsg(pose, from_pose);
    expect_near(transform, from_pose);
  }
}

TEST(Conversions, StampedTransforms)
{
  const tf2::Stamped<tf2::Transform> transform(random_tf2_transform(), TIME, "frame");
  const TransformStamped message = tf2::toMsg(transform);
  EXPECT_EQ("frame", message.header.frame_id);
  EXPECT_EQ("", message.child_frame_id);
  EXPECT_EQ(1, message.header.stamp.sec);
  tf2::Stamped<tf2::Transform> back;
  tf2::fromMsg(message, back);
  EXPECT_EQ("frame", back.frame_id_);
  EXPECT_EQ(TIME, back.stamp_);
  expect_near(transform, back);
}

TEST(Conversions, TransformsWithCovariance)
{
  std::array<std::array<double, 6>, 6> covariance = {};
  covariance[2][5] = 7.0;
  const tf2::WithCovarianceStamped<tf2::Transform> transform(random_tf2_transform(), TIME, "frame", covariance);
  const PoseWithCovarianceStamped message = tf2::toMsg(transform);
  EXPECT_EQ("frame", message.header.frame_id);
  EXPECT_EQ(7.0, message.pose.covariance[17]);
  tf2::WithCovarianceStamped<tf2::Transform> back;
  tf2::fromMsg(message, back);
  EXPECT_EQ("frame", back.frame_id_);
  EXPECT_EQ(TIME, back.stamp_);
  EXPECT_EQ(covariance, back.cov_mat_);
  expect_near(transform, back);

  using Data = tf2::WithCovarianceStamped<tf2::Transform>;
  EXPECT_EQ(message, (tf2::toMsg<Data, PoseWithCovarianceStamped>(transform)));
  Data again;
  tf2::fromMsg<PoseWithCovarianceStamped, Data>(message, again);
  EXPECT_EQ(back, again);
}

TEST(Conversions, TimesBefore1970)
{
  const tf2::Stamped<tf2::Quaternion> stamped(
    tf2::Quaternion(0, 0, 0, 1), tf2::TimePoint(std::chrono::nanoseconds(-1)), "frame");
  const QuaternionStamped message = tf2::toMsg(stamped);
  EXPECT_EQ(-1, message.header.stamp.sec);
  EXPECT_EQ(999999999u, message.header.stamp.nanosec);
  EXPECT_EQ(stamped.stamp_, tf2::getTimestamp(message));
}

template<typename Message>
void check_copies()
{
  Message in;
  Message out;
  set_header(in.header);
  EXPECT_EQ(in, tf2::toMsg(in));
  tf2::fromMsg(in, out);
  EXPECT_EQ(in, out);
  Message converted;
  tf2::convert(in, converted);
  EXPECT_EQ(in, converted);
}

TEST(Conversions, MessagesAreDataToo)
{
  check_copies<Vector3Stamped>();
  check_copies<PointStamped>();
  check_copies<PoseStamped>();
  check_copies<PolygonStamped>();
  check_copies<PoseWithCovarianceStamped>();
  check_copies<QuaternionStamped>();
  check_copies<TransformStamped>();
  check_copies<WrenchStamped>();
  Pose pose;
  pose.position.x = 3;
  EXPECT_EQ(pose, tf2::toMsg(pose));
  Polygon polygon;
  polygon.points.resize(2);
  EXPECT_EQ(polygon, tf2::toMsg(polygon));
}

TEST(Convert, BothWays)
{
  const tf2::Transform transform = random_tf2_transform();
  Transform transform_message;
  tf2::convert(transform, transform_message);
  tf2::Transform back;
  tf2::convert(transform_message, back);
  expect_near(transform, back);
  Pose pose;
  tf2::convert(transform, pose);
  back.setIdentity();
  tf2::convert(pose, back);
  expect_near(transform, back);

  const tf2::Vector3 vector(1, 2, 3);
  Vector3 vector_message;
  tf2::convert(vector, vector_message);
  expect_xyz({1, 2, 3}, vector_message);
  Point point;
  tf2::convert(vector, point);
  expect_xyz({1, 2, 3}, point);

  const tf2::Stamped<tf2::Transform> stamped(transform, TIME, "frame");
  TransformStamped stamped_message;
  tf2::convert(stamped, stamped_message);
  EXPECT_EQ("frame", stamped_message.header.frame_id);
  tf2::Stamped<tf2::Transform> stamped_back;
  tf2::convert(stamped_message, stamped_back);
  expect_near(stamped, stamped_back);

  const tf2::WithCovarianceStamped<tf2::Transform> uncertain(transform, TIME, "frame", {});
  PoseWithCovarianceStamped uncertain_message;
  tf2::convert(uncertain, uncertain_message);
  EXPECT_EQ("frame", uncertain_message.header.frame_id);
}

TEST(Utilities, UseTheConversions)
{
  Quaternion quaternion;
  quaternion.z = std::sin(0.25);
  quaternion.w = std::cos(0.25);
  EXPECT_NEAR(0.5, tf2::getYaw(quaternion), 1e-12);
  const Transform identity = tf2::getTransformIdentity<Transform>();
  EXPECT_EQ(1.0, identity.rotation.w);
  EXPECT_EQ(1.0, tf2::getTransformIdentity<Pose>().orientation.w);
}

#if __has_include(<kdl/frames.hpp>)
TEST(Kdl, TheFrameOfATransform)
{
  const TransformStamped transform = random_transform();
  const KDL::Frame frame = tf2::gmTransformToKDL(transform);
  const KDL::Vector point = frame * KDL::Vector(1, 2, 3);
  const Vector expected = transform_point(transform.transform, {1, 2, 3});
  EXPECT_NEAR(expected[0], point.x(), 1e-12);
  EXPECT_NEAR(expected[1], point.y(), 1e-12);
  EXPECT_NEAR(expected[2], point.z(), 1e-12);
}
#endif

}  // namespace
