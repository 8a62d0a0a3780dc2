// doTransform of each message.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <string>

#include "independent.hpp"
#include "tf2_geometry_msgs/tf2_geometry_msgs.hpp"

namespace
{

using namespace geometry_msgs::msg;  // NOLINT

constexpr int REPETITIONS = 50;

/// Expects the time and the frame of set_header().
template<typename Message>
void expect_accessors(const Message & message)
{
  EXPECT_EQ("in", tf2::getFrameId(message));
  EXPECT_EQ(tf2::TimePoint(std::chrono::nanoseconds(11000000012)), tf2::getTimestamp(message));
}

TEST(DoTransform, Vector3IsOnlyRotated)
{
  for (int i = 0; i < REPETITIONS; ++i) {
    const TransformStamped transform = random_transform();
    Vector3Stamped in, out;
    set_header(in.header);
    randomize_xyz(in.vector);
    const Vector expected = rotate(transform.transform.rotation, xyz(in.vector));
    tf2::doTransform(in, out, transform);
    expect_xyz(expected, out.vector);
    expect_header_of_transform(out.header);
    expect_accessors(in);
    Vector3 vector;
    tf2::doTransform(in.vector, vector, transform);
    expect_xyz(expected, vector);
    // The result may be the argument.
    tf2::doTransform(in, in, transform);
    EXPECT_EQ(out, in);
  }
}

TEST(DoTransform, Points)
{
  for (int i = 0; i < REPETITIONS; ++i) {
    const TransformStamped transform = random_transform();
    PointStamped in, out;
    set_header(in.header);
    randomize_xyz(in.point);
    const Vector expected = transform_point(transform.transform, xyz(in.point));
    tf2::doTransform(in, out, transform);
    expect_xyz(expected, out.point);
    expect_header_of_transform(out.header);
    expect_accessors(in);
    Point point;
    tf2::doTransform(in.point, point, transform);
    expect_xyz(expected, point);
    tf2::doTransform(in, in, transform);
    EXPECT_EQ(out, in);

    Point32 small;
    randomize_xyz(small);
    const Vector expected_small = transform_point(transform.transform, xyz(small));
    tf2::doTransform(small, small, transform);
    expect_xyz(expected_small, small, 1e-5);
  }
}

TEST(DoTransform, Polygons)
{
  const TransformStamped transform = random_transform();
  PolygonStamped in, out;
  set_header(in.header);
  in.polygon.points.resize(4);
  for (Point32 & point : in.polygon.points) {
    randomize_xyz(point);
  }
  tf2::doTransform(in, out, transform);
  ASSERT_EQ(4u, out.polygon.points.size());
  for (size_t i = 0; i < 4; ++i) {
    expect_xyz(transform_point(transform.transform, xyz(in.polygon.points[i])), out.polygon.points[i], 1e-5);
  }
  expect_header_of_transform(out.header);
  expect_accessors(in);
  Polygon polygon;
  polygon.points.resize(7);
  tf2::doTransform(in.polygon, polygon, transform);
  EXPECT_EQ(out.polygon, polygon);
  tf2::doTransform(in, in, transform);
  EXPECT_EQ(out, in);
}

TEST(DoTransform, Quaternions)
{
  for (int i = 0; i < REPETITIONS; ++i) {
    const TransformStamped transform = random_transform();
    QuaternionStamped in, out;
    set_header(in.header);
    randomize(in.quaternion);
    tf2::doTransform(in, out, transform);
    expect_rotation(transform.transform.rotation, in.quaternion, out.quaternion);
    expect_header_of_transform(out.header);
    expect_accessors(in);
    Quaternion quaternion;
    tf2::doTransform(in.quaternion, quaternion, transform);
    EXPECT_EQ(out.quaternion, quaternion);
    tf2::doTransform(in, in, transform);
    EXPECT_EQ(out, in);
  }
}

TEST(DoTransform, Poses)
{
  for (int i = 0; i < REPETITIONS; ++i) {
    const TransformStamped transform = random_transform();
    PoseStamped in, out;
    set_header(in.header);
    randomize_xyz(in.pose.position);
    randomize(in.pose.orientation);
    tf2::doTransform(in, out, transform);
    expect_xyz(transform_point(transform.transform, xyz(in.pose.position)), out.pose.position);
    expect_rotation(transform.transform.rotation, in.pose.orientation, out.pose.orientation);
    expect_header_of_transform(out.header);
    expect_accessors(in);
    Pose pose;
    tf2::doTransform(in.pose, pose, transform);
    EXPECT_EQ(out.pose, pose);
    tf2::doTransform(in, in, transform);
    EXPECT_EQ(out, in);
  }
}

TEST(DoTransform, Transforms)
{
  for (int i = 0; i < REPETITIONS; ++i) {
    const TransformStamped transform = random_transform();
    TransformStamped in, out;
    set_header(in.header);
    in.child_frame_id = "child";
    out.child_frame_id = "other";
    randomize_xyz(in.transform.translation);
    randomize(in.transform.rotation);
    tf2::doTransform(in, out, transform);
    expect_xyz(transform_point(transform.transform, xyz(in.transform.translation)), out.transform.translation);
    expect_rotation(transform.transform.rotation, in.transform.rotation, out.transform.rotation);
    expect_header_of_transform(out.header);
    EXPECT_EQ("child", out.child_frame_id);
    expect_accessors(in);
    Transform result;
    tf2::doTransform(in.transform, result, transform);
    EXPECT_EQ(out.transform, result);
    // The result may be the transform.
    TransformStamped both = transform;
    tf2::doTransform(in, both, both);
    EXPECT_EQ(out, both);
  }
}

TEST(DoTransform, OrientationsOfFramesHaveTheSignOfAMatrix)
{
  TransformStamped transform;
  geometry_msgs::msg::Pose pose;
  Transform frame;
  for (geometry_msgs::msg::Quaternion * half_turn : {&transform.transform.rotation, &pose.orientation, &frame.rotation}) {
    half_turn->x = 1;
    half_turn->w = 0;
  }
  tf2::doTransform(pose, pose, transform);
  EXPECT_DOUBLE_EQ(1.0, pose.orientation.w);
  tf2::doTransform(frame, frame, transform);
  EXPECT_DOUBLE_EQ(1.0, frame.rotation.w);
  for (int i = 0; i < REPETITIONS; ++i) {
    pose.orientation = random_transform().transform.rotation;
    const TransformStamped random = random_transform();
    tf2::doTransform(pose, pose, random);
    const tf2::Quaternion made(pose.orientation.x, pose.orientation.y, pose.orientation.z, pose.orientation.w);
    tf2::Quaternion of_matrix;
    tf2::Matrix3x3(made).getRotation(of_matrix);
    EXPECT_NEAR(1.0, made.dot(of_matrix), 1e-12);
  }
}

TEST(DoTransform, WrenchesAreThoseAboutTheNewOrigin)
{
  for (int i = 0; i < REPETITIONS; ++i) {
    const TransformStamped transform = random_transform();
    WrenchStamped in, out;
    set_header(in.header);
    randomize_xyz(in.wrench.force);
    randomize_xyz(in.wrench.torque);
    tf2::doTransform(in, out, transform);
    const Vector force = rotate(transform.transform.rotation, xyz(in.wrench.force));
    const Vector torque = rotate(transform.transform.rotation, xyz(in.wrench.torque));
    expect_xyz(force, out.wrench.force);
    expect_xyz(add(torque, cross(xyz(transform.transform.translation), force)), out.wrench.torque);
    expect_header_of_transform(out.header);
    expect_accessors(in);
    tf2::doTransform(in, in, transform);
    EXPECT_EQ(out, in);
  }
}

TEST(DoTransform, VelocitiesAreThoseAtTheNewOrigin)
{
  for (int i = 0; i < REPETITIONS; ++i) {
    const TransformStamped transform = random_transform();
    VelocityStamped in, out;
    set_header(in.header);
    in.body_frame_id = "body";
    in.reference_frame_id = "map";
    randomize_xyz(in.velocity.linear);
    randomize_xyz(in.velocity.angular);
    const Vector angular = rotate(transform.transform.rotation, xyz(in.velocity.angular));
    const Vector linear = rotate(transform.transform.rotation, xyz(in.velocity.linear));
    tf2::doTransform(in, out, transform);
    expect_xyz(angular, out.velocity.angular);
    expect_xyz(add(linear, cross(xyz(transform.transform.translation), angular)), out.velocity.linear);
    expect_header_of_transform(out.header);
  }
}

/// Returns M C M^T with M = (R 0; 0 R), element by element.
std::array<double, 36> rotate_covariance(const std::array<double, 36> & covariance, const Matrix & rotation)
{
  std::array<std::array<double, 6>, 6> m = {};
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      m[i][j] = rotation[i][j];
      m[i + 3][j + 3] = rotation[i][j];
    }
  }
  std::array<double, 36> rotated = {};
  for (size_t i = 0; i < 6; ++i) {
    for (size_t j = 0; j < 6; ++j) {
      for (size_t k = 0; k < 6; ++k) {
        for (size_t l = 0; l < 6; ++l) {
          rotated[6 * i + j] += m[i][k] * covariance[6 * k + l] * m[j][l];
        }
      }
    }
  }
  return rotated;
}

TEST(DoTransform, PosesWithCovariance)
{
  for (int i = 0; i < REPETITIONS; ++i) {
    const TransformStamped transform = random_transform();
    PoseWithCovarianceStamped in, out;
    set_header(in.header);
    randomize_xyz(in.pose.pose.position);
    randomize(in.pose.pose.orientation);
    for (double & element : in.pose.covariance) {
      element = random_number();
    }
    tf2::doTransform(in, out, transform);
    const std::array<double, 36> expected =
      rotate_covariance(in.pose.covariance, matrix_of(transform.transform.rotation));
    for (size_t element = 0; element < 36; ++element) {
      EXPECT_NEAR(expected[element], out.pose.covariance[element], 1e-12);
    }
    expect_xyz(transform_point(transform.transform, xyz(in.pose.pose.position)), out.pose.pose.position);
    expect_rotation(transform.transform.rotation, in.pose.pose.orientation, out.pose.pose.orientation);
    expect_header_of_transform(out.header);
    expect_accessors(in);
    EXPECT_EQ(in.pose.covariance[6 * 2 + 5], tf2::getCovarianceMatrix(in)[2][5]);
    EXPECT_EQ(in.pose.covariance[6 * 4 + 1], tf2::getCovarianceMatrix(in.pose)[4][1]);
    tf2::doTransform(in, in, transform);
    EXPECT_EQ(out, in);
  }
}

TEST(Covariance, AQuarterTurnExchangesTheAxes)
{
  TransformStamped transform;
  transform.transform.rotation.z = std::sqrt(0.5);
  transform.transform.rotation.w = std::sqrt(0.5);
  transform.transform.translation.x = 100.0;
  PoseWithCovariance in, out;
  in.covariance[0] = 1.0;        // x
  in.covariance[7] = 4.0;        // y
  in.covariance[14] = 9.0;       // z
  in.covariance[1] = 0.5;        // x, y
  in.covariance[6] = 0.5;
  in.covariance[21] = 0.1;       // rotation about x
  in.covariance[28] = 0.2;       // rotation about y
  in.covariance[3] = 0.05;       // x, rotation about x
  in.covariance[18] = 0.05;
  tf2::doTransform(in, out, transform);
  EXPECT_NEAR(4.0, out.covariance[0], 1e-12);
  EXPECT_NEAR(1.0, out.covariance[7], 1e-12);
  EXPECT_NEAR(9.0, out.covariance[14], 1e-12);
  EXPECT_NEAR(-0.5, out.covariance[1], 1e-12);
  EXPECT_NEAR(0.2, out.covariance[21], 1e-12);
  EXPECT_NEAR(0.1, out.covariance[28], 1e-12);
  EXPECT_NEAR(0.05, out.covariance[6 * 1 + 4], 1e-12);
  EXPECT_NEAR(0.05, out.covariance[6 * 4 + 1], 1e-12);
  EXPECT_NEAR(0.0, out.covariance[3], 1e-12);
}

TEST(Covariance, SamplesHaveTheRotatedCovariance)
{
  // The covariance of rotated vectors is the rotated covariance of the vectors.
  const TransformStamped transform = random_transform();
  std::array<double, 36> before = {};
  std::array<double, 36> after = {};
  for (int sample = 0; sample < 100; ++sample) {
    std::array<double, 6> vector;
    for (double & element : vector) {
      element = random_number();
    }
    const Vector linear = rotate(transform.transform.rotation, {vector[0], vector[1], vector[2]});
    const Vector angular = rotate(transform.transform.rotation, {vector[3], vector[4], vector[5]});
    const std::array<double, 6> rotated = {linear[0], linear[1], linear[2], angular[0], angular[1], angular[2]};
    for (size_t i = 0; i < 6; ++i) {
      for (size_t j = 0; j < 6; ++j) {
        before[6 * i + j] += vector[i] * vector[j];
        after[6 * i + j] += rotated[i] * rotated[j];
      }
    }
  }
  tf2::Transform made;
  tf2::fromMsg(transform.transform, made);
  const std::array<double, 36> transformed = tf2::transformCovariance(before, made);
  for (size_t element = 0; element < 36; ++element) {
    EXPECT_NEAR(after[element], transformed[element], 1e-9);
  }
}

TEST(DoTransform, ARotationThatIsNotNormalizedDoesNotScale)
{
  TransformStamped transform = random_transform();
  const Quaternion normalized = transform.transform.rotation;
  transform.transform.rotation.x *= 2;
  transform.transform.rotation.y *= 2;
  transform.transform.rotation.z *= 2;
  transform.transform.rotation.w *= 2;
  Vector3 in, out;
  randomize_xyz(in);
  tf2::doTransform(in, out, transform);
  expect_xyz(rotate(normalized, xyz(in)), out);
}

}  // namespace
