// Random numbers, and rotations by formulas that are independent of tf2.
#ifndef RANDOM_ROTATIONS_HPP_
#define RANDOM_ROTATIONS_HPP_

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

#include "tf2/LinearMath/Transform.hpp"

using Rows = std::array<std::array<double, 3>, 3>;

constexpr double pi = 3.14159265358979323846;

/// Random numbers that are the same in each run.
class Random
{
public:
  double number(double low, double high) {return std::uniform_real_distribution<double>(low, high)(engine_);}
  double angle() {return number(-pi, pi);}
  tf2::Vector3 vector(double size = 10.0)
  {
    return tf2::Vector3(number(-size, size), number(-size, size), number(-size, size));
  }
  /// A vector of length 1.
  tf2::Vector3 direction()
  {
    std::normal_distribution<double> normal;
    const double x = normal(engine_), y = normal(engine_), z = normal(engine_);
    const double length = std::sqrt(x * x + y * y + z * z);
    return tf2::Vector3(x / length, y / length, z / length);
  }
  tf2::Quaternion rotation() {return tf2::Quaternion(direction(), angle());}
  tf2::Transform transform() {return tf2::Transform(rotation(), vector());}

private:
  std::mt19937 engine_{7};
};

inline Rows product(const Rows & a, const Rows & b)
{
  Rows result = {};
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      for (size_t k = 0; k < 3; ++k) {
        result[i][j] += a[i][k] * b[k][j];
      }
    }
  }
  return result;
}

inline Rows about_x(double a) {return {{{1, 0, 0}, {0, std::cos(a), -std::sin(a)}, {0, std::sin(a), std::cos(a)}}};}
inline Rows about_y(double a) {return {{{std::cos(a), 0, std::sin(a)}, {0, 1, 0}, {-std::sin(a), 0, std::cos(a)}}};}
inline Rows about_z(double a) {return {{{std::cos(a), -std::sin(a), 0}, {std::sin(a), std::cos(a), 0}, {0, 0, 1}}};}

/// Rodrigues' formula: 1 + sin(a) K + (1 - cos(a)) K K, with the cross product matrix K of the axis.
inline Rows about(const tf2::Vector3 & axis, double angle)
{
  const Rows k = {{{0, -axis.z(), axis.y()}, {axis.z(), 0, -axis.x()}, {-axis.y(), axis.x(), 0}}};
  const Rows kk = product(k, k);
  Rows result = {};
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      result[i][j] = (i == j ? 1.0 : 0.0) + std::sin(angle) * k[i][j] + (1.0 - std::cos(angle)) * kk[i][j];
    }
  }
  return result;
}

inline void expect_near(const Rows & expected, const tf2::Matrix3x3 & actual, double tolerance = 1e-14)
{
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const auto row = static_cast<size_t>(i), column = static_cast<size_t>(j);
      EXPECT_NEAR(expected[row][column], actual[i][j], tolerance) << i << ", " << j;
    }
  }
}

inline void expect_near(const tf2::Matrix3x3 & a, const tf2::Matrix3x3 & b, double tolerance = 1e-14)
{
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      EXPECT_NEAR(a[i][j], b[i][j], tolerance) << i << ", " << j;
    }
  }
}

inline void expect_near(const tf2::Vector3 & a, const tf2::Vector3 & b, double tolerance = 1e-13)
{
  EXPECT_NEAR(a.x(), b.x(), tolerance);
  EXPECT_NEAR(a.y(), b.y(), tolerance);
  EXPECT_NEAR(a.z(), b.z(), tolerance);
}

/// Compares rotations: q and -q are the same.
inline void expect_same_rotation(const tf2::Quaternion & a, const tf2::Quaternion & b, double tolerance = 1e-14)
{
  const double sign = a.dot(b) < 0.0 ? -1.0 : 1.0;
  EXPECT_NEAR(a.x(), sign * b.x(), tolerance);
  EXPECT_NEAR(a.y(), sign * b.y(), tolerance);
  EXPECT_NEAR(a.z(), sign * b.z(), tolerance);
  EXPECT_NEAR(a.w(), sign * b.w(), tolerance);
}

#endif
