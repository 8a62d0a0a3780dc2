#include "random_rotations.hpp"
#include "tf2/LinearMath/QuadWord.h"
#include "tf2/LinearMath/Quaternion.h"

namespace
{

using tf2::Quaternion;
using tf2::Vector3;

TEST(Quaternion, numbers)
{
  Quaternion q(1, 2, 3, 4);
  EXPECT_EQ(Quaternion(0, 0, 0, 0), Quaternion());
  EXPECT_EQ(1.0, q.x());
  EXPECT_EQ(2.0, q.getY());
  EXPECT_EQ(3.0, q[2]);
  EXPECT_EQ(4.0, q.getW());
  q.setW(8.0);
  q[0] = 5.0;
  EXPECT_EQ(Quaternion(5, 2, 3, 8), q);
  EXPECT_NE(Quaternion(5, 2, 3, 7), q);
  q.setValue(1, 1, 1);
  EXPECT_EQ(Quaternion(1, 1, 1, 0), q);
  q.setMax(Quaternion(0, 2, 0, 5));
  q.setMin(Quaternion(9, 9, 0, 9));
  EXPECT_EQ(Quaternion(1, 2, 0, 5), q);
  EXPECT_EQ(Quaternion(0, 0, 0, 1), Quaternion::getIdentity());
}

TEST(Quaternion, arithmetic)
{
  const Quaternion a(1, 2, 3, 4), b(5, 6, 7, 8);
  EXPECT_EQ(Quaternion(6, 8, 10, 12), a + b);
  EXPECT_EQ(Quaternion(4, 4, 4, 4), b - a);
  EXPECT_EQ(Quaternion(-1, -2, -3, -4), -a);
  EXPECT_EQ(Quaternion(2, 4, 6, 8), a * 2.0);
  EXPECT_EQ(Quaternion(2, 4, 6, 8), 2.0 * a);
  EXPECT_EQ(Quaternion(0.5, 1, 1.5, 2), a / 2.0);
  EXPECT_EQ(70.0, dot(a, b));
  EXPECT_EQ(30.0, a.length2());
  EXPECT_DOUBLE_EQ(std::sqrt(30.0), length(a));
  // i j = k, and the product of Hamilton.
  EXPECT_EQ(Quaternion(0, 0, 1, 0), Quaternion(1, 0, 0, 0) * Quaternion(0, 1, 0, 0));
  EXPECT_EQ(Quaternion(24, 48, 48, -6), a * b);
  EXPECT_EQ(a * Quaternion(5, 6, 7, 0), a * Vector3(5, 6, 7));
  EXPECT_EQ(Quaternion(5, 6, 7, 0) * a, Vector3(5, 6, 7) * a);
  Quaternion c = a;
  c += b;
  c -= a;
  c *= 3.0;
  c /= 3.0;
  EXPECT_EQ(b, c);
  EXPECT_NEAR(1.0, a.normalized().length(), 1e-15);
  EXPECT_TRUE(std::isnan(Quaternion(0, 0, 0, 0).normalized().w()));
}

TEST(Quaternion, rotations_by_axis_and_angle)
{
  Random random;
  for (int round = 0; round < 200; ++round) {
    const Vector3 axis = random.direction();
    const double angle = round == 0 ? pi : round == 1 ? 1e-9 : random.number(0.0, 2 * pi);
    const Quaternion q(axis * 3.0, angle);
    EXPECT_NEAR(1.0, q.length(), 1e-15);
    EXPECT_NEAR(angle, q.getAngle(), 1e-14);
    EXPECT_NEAR(std::min(angle, 2 * pi - angle), q.getAngleShortestPath(), 1e-14);
    EXPECT_NEAR(angle, (q * 5.0).getAngle(), 1e-14);
    expect_near(axis, q.getAxis(), 1e-14);
    expect_near(about(axis, angle), tf2::Matrix3x3(q));
    const Vector3 v = random.vector();
    expect_near(v.rotate(axis, angle), quatRotate(q, v));
    const Quaternion product = q * v * q.inverse();
    expect_near(Vector3(product.x(), product.y(), product.z()), quatRotate(q, v));
    expect_same_rotation(Quaternion::getIdentity(), q * inverse(q));
  }
  EXPECT_EQ(Vector3(1, 0, 0), Quaternion::getIdentity().getAxis());
}

TEST(Quaternion, euler_angles)
{
  Random random;
  for (int round = 0; round < 200; ++round) {
    const double roll = random.angle(), pitch = random.angle(), yaw = random.angle();
    Quaternion q;
    q.setRPY(roll, pitch, yaw);
    const Rows rpy = product(product(about_z(yaw), about_y(pitch)), about_x(roll));
    expect_near(rpy, tf2::Matrix3x3(q));
    Quaternion same;
    same.setEulerZYX(yaw, pitch, roll);
    EXPECT_EQ(q, same);
    q.setEuler(yaw, pitch, roll);
    expect_near(product(product(about_y(yaw), about_x(pitch)), about_z(roll)), tf2::Matrix3x3(q));
  }
  Quaternion half;
  half.setRPY(0, 0, pi);
  EXPECT_NEAR(1.0, half.z(), 1e-15);
  EXPECT_NEAR(0.0, half.w(), 1e-15);
}

TEST(Quaternion, angles)
{
  Random random;
  for (int round = 0; round < 200; ++round) {
    const Quaternion from = random.rotation();
    const double turn = round == 0 ? 1e-10 : round == 1 ? pi : random.number(0.0, pi);
    const Quaternion to = from * Quaternion(random.direction(), turn);
    EXPECT_NEAR(0.5 * turn, from.angle(to), 1e-14);
    EXPECT_NEAR(pi - 0.5 * turn, angle(from, -to), 1e-14);
    EXPECT_NEAR(turn, from.angleShortestPath(to), 1e-14);
    EXPECT_NEAR(turn, angleShortestPath(from, to * -2.0), 1e-14);
    // Both signs are equally far from a half turn.
    if (round != 1) {
      EXPECT_EQ(to, from.nearest(-to));
      EXPECT_EQ(-to, from.farthest(to));
    }
  }
  EXPECT_EQ(0.0, Quaternion::getIdentity().angle(Quaternion::getIdentity()));
}

TEST(Quaternion, slerp)
{
  Random random;
  for (int round = 0; round < 200; ++round) {
    const Quaternion from = random.rotation();
    const Vector3 axis = random.direction();
    const double turn = round == 0 ? 1e-9 : round == 1 ? 0.0 : random.number(0.0, 0.999 * pi);
    const Quaternion to = from * Quaternion(axis, turn);
    const double sign = round % 2 == 0 ? 1.0 : -1.0;
    for (const double t : {0.0, 0.1, 0.5, 1.0, 1.5}) {
      const Quaternion expected = from * Quaternion(axis, t * turn);
      expect_same_rotation(expected, slerp(from, to * sign, t), 1e-13);
      EXPECT_GE(from.slerp(to * sign, t).dot(expected), 0.0);
    }
  }
}

TEST(Quaternion, shortest_arcs)
{
  Random random;
  for (int round = 0; round < 200; ++round) {
    Vector3 from = random.direction(), to = round == 0 ? -from : round == 1 ? from : random.direction();
    expect_near(to, quatRotate(shortestArcQuat(from, to), from));
    EXPECT_NEAR(from.angle(to), shortestArcQuat(from, to).getAngleShortestPath(), 1e-7);
    from *= 3.0;
    to *= 0.1;
    const Quaternion q = shortestArcQuatNormalize2(from, to);
    EXPECT_NEAR(1.0, from.length(), 1e-14);
    expect_near(to, quatRotate(q, from));
  }
}

}  // namespace
