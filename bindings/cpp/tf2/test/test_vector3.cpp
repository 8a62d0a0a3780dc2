#include "random_rotations.hpp"
#include "tf2/LinearMath/MinMax.h"
#include "tf2/LinearMath/Scalar.h"
#include "tf2/LinearMath/Vector3.h"

namespace
{

using tf2::Vector3;

TEST(Scalar, functions)
{
  EXPECT_DOUBLE_EQ(pi, TF2SIMD_PI);
  EXPECT_DOUBLE_EQ(std::sqrt(0.5), TF2SIMDSQRT12);
  EXPECT_EQ(0.0, tf2Acos(1.5));
  EXPECT_DOUBLE_EQ(-pi / 2, tf2Asin(-2.0));
  EXPECT_DOUBLE_EQ(pi, tf2Radians(180.0));
  EXPECT_DOUBLE_EQ(90.0, tf2Degrees(pi / 2));
  EXPECT_NEAR(-pi / 2, tf2NormalizeAngle(3.5 * pi), 1e-15);
  EXPECT_DOUBLE_EQ(0.5, tf2RecipSqrt(4.0));
  EXPECT_TRUE(tf2FuzzyZero(1e-17) && !tf2FuzzyZero(1e-10));
  EXPECT_TRUE(tf2Equal(0.5, 0.5) && !tf2Equal(-0.6, 0.5));
  EXPECT_EQ(1, tf2IsNegative(-1.0));
  EXPECT_EQ(2.0, tf2Fsel(0.0, 2.0, 3.0));
  double a = 1.0, b = 2.0;
  tf2Swap(a, b);
  EXPECT_EQ(2.0, a);
}

TEST(Scalar, limits)
{
  EXPECT_EQ(1, tf2Min(1, 2));
  EXPECT_EQ(2, tf2Max(1, 2));
  EXPECT_EQ(3, tf2Clamped(1, 3, 5));
  int value = 9;
  tf2Clamp(value, 3, 5);
  EXPECT_EQ(5, value);
  tf2SetMin(value, 4);
  tf2SetMax(value, 2);
  EXPECT_EQ(4, value);
}

TEST(Vector3, numbers)
{
  Vector3 v(1, 2, 3);
  EXPECT_EQ(Vector3(0, 0, 0), Vector3());
  EXPECT_EQ(1.0, v.getX());
  EXPECT_EQ(2.0, v.y());
  EXPECT_EQ(3.0, v[2]);
  v[1] = 5.0;
  v.setX(4.0);
  v.setZ(6.0);
  EXPECT_EQ(Vector3(4, 5, 6), v);
  v.setW(1.0);
  EXPECT_NE(Vector3(4, 5, 6), v);
  v.setValue(7, 8, 9);
  EXPECT_EQ(Vector3(7, 8, 9), v);
  v.setZero();
  EXPECT_TRUE(v.isZero() && v.fuzzyZero());
  EXPECT_FALSE(Vector3(0, 1e-3, 0).fuzzyZero());
}

TEST(Vector3, operators)
{
  const Vector3 a(1, 2, 3), b(4, 5, 6);
  EXPECT_EQ(Vector3(5, 7, 9), a + b);
  EXPECT_EQ(Vector3(3, 3, 3), b - a);
  EXPECT_EQ(Vector3(-1, -2, -3), -a);
  EXPECT_EQ(Vector3(2, 4, 6), a * 2.0);
  EXPECT_EQ(Vector3(2, 4, 6), 2.0 * a);
  EXPECT_EQ(Vector3(4, 10, 18), a * b);
  EXPECT_EQ(Vector3(0.5, 1, 1.5), a / 2.0);
  EXPECT_EQ(Vector3(4, 2.5, 2), b / a);
  Vector3 c = a;
  c += b;
  c -= a;
  c *= 2.0;
  c *= a;
  c /= 2.0;
  EXPECT_EQ(Vector3(4, 10, 18), c);
}

TEST(Vector3, products)
{
  Random random;
  for (int round = 0; round < 100; ++round) {
    const Vector3 a = random.vector(), b = random.vector(), c = random.vector();
    EXPECT_DOUBLE_EQ(a.x() * b.x() + a.y() * b.y() + a.z() * b.z(), tf2::tf2Dot(a, b));
    EXPECT_NEAR(0.0, a.cross(b).dot(a), 1e-11);
    EXPECT_NEAR(a.length2() * b.length2(), a.cross(b).length2() + a.dot(b) * a.dot(b), 1e-9);
    EXPECT_NEAR(
      a.x() * (b.y() * c.z() - b.z() * c.y()) - a.y() * (b.x() * c.z() - b.z() * c.x()) +
      a.z() * (b.x() * c.y() - b.y() * c.x()), tf2::tf2Triple(a, b, c), 1e-10);
    EXPECT_NEAR((a - b).length(), tf2::tf2Distance(a, b), 1e-14);
    EXPECT_NEAR((a - b).length2(), tf2::tf2Distance2(a, b), 1e-12);
    EXPECT_NEAR(std::atan2(a.cross(b).length(), a.dot(b)), tf2::tf2Angle(a, b), 1e-7);
    Vector3 x, y, z;
    a.getSkewSymmetricMatrix(&x, &y, &z);
    expect_near(a.cross(b), Vector3(x.dot(b), y.dot(b), z.dot(b)));
  }
  EXPECT_EQ(Vector3(0, 0, 1), tf2::tf2Cross(Vector3(1, 0, 0), Vector3(0, 1, 0)));
}

TEST(Vector3, lengths)
{
  EXPECT_DOUBLE_EQ(5.0, Vector3(0, 3, 4).length());
  expect_near(Vector3(0, 0.6, 0.8), Vector3(0, 3, 4).normalized());
  Vector3 v(1e-200, 0, 0);
  v *= 1e100;
  expect_near(Vector3(1, 0, 0), v.normalize());
  EXPECT_TRUE(std::isnan(Vector3(0, 0, 0).normalized().x()));
}

TEST(Vector3, rotate)
{
  Random random;
  for (int round = 0; round < 100; ++round) {
    const Vector3 axis = random.direction(), v = random.vector();
    const double angle = random.angle();
    const Rows rows = about(axis, angle);
    const Vector3 expected(
      rows[0][0] * v.x() + rows[0][1] * v.y() + rows[0][2] * v.z(),
      rows[1][0] * v.x() + rows[1][1] * v.y() + rows[1][2] * v.z(),
      rows[2][0] * v.x() + rows[2][1] * v.y() + rows[2][2] * v.z());
    expect_near(expected, v.rotate(axis, angle));
  }
}

TEST(Vector3, axes)
{
  const Vector3 v(-3, 2, 1);
  EXPECT_EQ(0, v.minAxis());
  EXPECT_EQ(1, v.maxAxis());
  EXPECT_EQ(2, v.furthestAxis());
  EXPECT_EQ(0, v.closestAxis());
  EXPECT_EQ(Vector3(3, 2, 1), v.absolute());
  Vector3 w = v;
  w.setMax(Vector3(0, 0, 5));
  EXPECT_EQ(Vector3(0, 2, 5), w);
  w.setMin(Vector3(1, 1, 1));
  EXPECT_EQ(Vector3(0, 1, 1), w);
  const tf2::tf2Vector4 four(-3, 2, 1, -4);
  EXPECT_EQ(1, four.maxAxis4());
  EXPECT_EQ(3, four.minAxis4());
  EXPECT_EQ(3, four.closestAxis4());
  EXPECT_EQ(-4.0, four.getW());
}

TEST(Vector3, interpolation)
{
  const Vector3 a(1, 2, 3), b(3, 6, 9);
  EXPECT_EQ(a, lerp(a, b, 0.0));
  EXPECT_EQ(b, lerp(a, b, 1.0));
  EXPECT_EQ(Vector3(1.5, 3, 4.5), a.lerp(b, 0.25));
  Vector3 c;
  c.setInterpolate3(a, b, 0.5);
  EXPECT_EQ(Vector3(2, 4, 6), c);
}

TEST(Vector3, planes)
{
  Random random;
  for (int round = 0; round < 100; ++round) {
    const Vector3 n = round < 3 ? Vector3(round == 0, round == 1, round == 2) : random.direction();
    Vector3 p, q;
    tf2::tf2PlaneSpace1(n, p, q);
    EXPECT_NEAR(1.0, p.length(), 1e-14);
    EXPECT_NEAR(1.0, q.length(), 1e-14);
    EXPECT_NEAR(0.0, n.dot(p), 1e-14);
    EXPECT_NEAR(0.0, n.dot(q), 1e-14);
    EXPECT_NEAR(0.0, p.dot(q), 1e-14);
  }
}

}  // namespace
