// Formulas that use neither tf2 nor the conversions, and random data.
#ifndef INDEPENDENT_HPP_
#define INDEPENDENT_HPP_

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <random>

#include "geometry_msgs/msg/quaternion.hpp"
#include "geometry_msgs/msg/transform.hpp"
#include "geometry_msgs/msg/transform_stamped.hpp"

using Vector = std::array<double, 3>;
using Matrix = std::array<std::array<double, 3>, 3>;

/// Returns a random number from -3 to 3.
inline double random_number()
{
  static std::mt19937 generator(20240523);
  return std::uniform_real_distribution<double>(-3.0, 3.0)(generator);
}

template<typename Message>
void randomize_xyz(Message & message)
{
  message.x = static_cast<decltype(message.x)>(random_number());
  message.y = static_cast<decltype(message.y)>(random_number());
  message.z = static_cast<decltype(message.z)>(random_number());
}

inline void randomize(geometry_msgs::msg::Quaternion & q)
{
  randomize_xyz(q);
  q.w = random_number();
  const double length = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  q.x /= length;
  q.y /= length;
  q.z /= length;
  q.w /= length;
}

template<typename Header>
void set_header(Header & header, const char * frame_id = "in")
{
  header.frame_id = frame_id;
  header.stamp.sec = 11;
  header.stamp.nanosec = 12;
}

/// Returns a random transform to the frame "to" at 5.000000006 s.
inline geometry_msgs::msg::TransformStamped random_transform()
{
  geometry_msgs::msg::TransformStamped transform;
  transform.header.frame_id = "to";
  transform.header.stamp.sec = 5;
  transform.header.stamp.nanosec = 6;
  transform.child_frame_id = "in";
  randomize_xyz(transform.transform.translation);
  randomize(transform.transform.rotation);
  return transform;
}

template<typename Message>
Vector xyz(const Message & message) {return {message.x, message.y, message.z};}

inline Vector cross(const Vector & a, const Vector & b)
{
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

inline Vector add(const Vector & a, const Vector & b) {return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};}

/// Returns v + 2 w (u x v) + 2 u x (u x v), for the quaternion (u, w).
inline Vector rotate(const geometry_msgs::msg::Quaternion & q, const Vector & v)
{
  const Vector u = xyz(q);
  const Vector first = cross(u, v);
  const Vector second = cross(u, first);
  Vector rotated;
  for (size_t i = 0; i < 3; ++i) {
    rotated[i] = v[i] + 2.0 * q.w * first[i] + 2.0 * second[i];
  }
  return rotated;
}

/// Returns the matrix whose columns are the rotated axes.
inline Matrix matrix_of(const geometry_msgs::msg::Quaternion & q)
{
  Matrix matrix;
  for (size_t column = 0; column < 3; ++column) {
    Vector axis = {0, 0, 0};
    axis[column] = 1;
    const Vector rotated = rotate(q, axis);
    for (size_t row = 0; row < 3; ++row) {
      matrix[row][column] = rotated[row];
    }
  }
  return matrix;
}

inline Vector transform_point(const geometry_msgs::msg::Transform & transform, const Vector & point)
{
  return add(rotate(transform.rotation, point), xyz(transform.translation));
}

template<typename Message>
void expect_xyz(const Vector & expected, const Message & message, double tolerance = 1e-12)
{
  EXPECT_NEAR(expected[0], message.x, tolerance);
  EXPECT_NEAR(expected[1], message.y, tolerance);
  EXPECT_NEAR(expected[2], message.z, tolerance);
}

/// Expects that a quaternion rotates as the second after the first do.
inline void expect_rotation(
  const geometry_msgs::msg::Quaternion & second, const geometry_msgs::msg::Quaternion & first,
  const geometry_msgs::msg::Quaternion & quaternion, double tolerance = 1e-12)
{
  for (const Vector & axis : {Vector{1, 0, 0}, Vector{0, 1, 0}, Vector{0, 0, 1}}) {
    const Vector expected = rotate(second, rotate(first, axis));
    const Vector rotated = rotate(quaternion, axis);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(expected[i], rotated[i], tolerance);
    }
  }
}

/// Expects a quaternion, or the one with the opposite sign, which is the same rotation.
inline void expect_same(
  const geometry_msgs::msg::Quaternion & expected, const geometry_msgs::msg::Quaternion & quaternion,
  double tolerance = 1e-12)
{
  geometry_msgs::msg::Quaternion none;
  none.w = 1;
  expect_rotation(none, expected, quaternion, tolerance);
}

/// Expects the time and the frame of random_transform().
template<typename Header>
void expect_header_of_transform(const Header & header)
{
  EXPECT_EQ("to", header.frame_id);
  EXPECT_EQ(5, header.stamp.sec);
  EXPECT_EQ(6u, header.stamp.nanosec);
}

#endif
