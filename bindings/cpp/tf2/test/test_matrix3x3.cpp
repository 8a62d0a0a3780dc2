#include "random_rotations.hpp"
#include "tf2/LinearMath/Matrix3x3.h"
#include "tf2/LinearMath/Transform.h"

namespace
{

using tf2::Matrix3x3;
using tf2::Quaternion;
using tf2::Transform;
using tf2::Vector3;

Rows rows_of(const Matrix3x3 & m)
{
  return {{{m[0][0], m[0][1], m[0][2]}, {m[1][0], m[1][1], m[1][2]}, {m[2][0], m[2][1], m[2][2]}}};
}

Matrix3x3 random_matrix(Random & random)
{
  const Vector3 a = random.vector(), b = random.vector(), c = random.vector();
  return Matrix3x3(a.x(), a.y(), a.z(), b.x(), b.y(), b.z(), c.x(), c.y(), c.z());
}

TEST(Matrix3x3, elements)
{
  Matrix3x3 m(1, 2, 3, 4, 5, 6, 7, 8, 9);
  EXPECT_EQ(Vector3(2, 5, 8), m.getColumn(1));
  EXPECT_EQ(Vector3(4, 5, 6), m.getRow(1));
  EXPECT_EQ(8.0, m[2][1]);
  EXPECT_EQ(Matrix3x3(1, 4, 7, 2, 5, 8, 3, 6, 9), m.transpose());
  EXPECT_EQ(Matrix3x3(1, 4, 9, 4, 10, 18, 7, 16, 27), m.scaled(Vector3(1, 2, 3)));
  EXPECT_EQ(-3.0, m.cofac(0, 0, 1, 1));
  EXPECT_EQ(0.0, m.determinant());
  m[0] = Vector3(-1, -2, -3);
  EXPECT_EQ(Vector3(1, 2, 3), m.absolute()[0]);
  m.setIdentity();
  EXPECT_EQ(Matrix3x3::getIdentity(), m);
  EXPECT_NE(Matrix3x3(), m);
}

TEST(Matrix3x3, products)
{
  Random random;
  for (int round = 0; round < 100; ++round) {
    const Matrix3x3 a = random_matrix(random), b = random_matrix(random);
    const Vector3 v = random.vector();
    expect_near(product(rows_of(a), rows_of(b)), a * b, 1e-12);
    expect_near(a.transpose() * b, a.transposeTimes(b), 1e-12);
    expect_near(a * b.transpose(), a.timesTranspose(b), 1e-12);
    expect_near(Vector3(a[0].dot(v), a[1].dot(v), a[2].dot(v)), a * v);
    expect_near(a.transpose() * v, v * a);
    EXPECT_NEAR(a.getColumn(0).dot(v), a.tdotx(v), 1e-12);
    EXPECT_NEAR(a.getColumn(2).dot(v), a.tdotz(v), 1e-12);
    Matrix3x3 c = a;
    c *= b;
    EXPECT_EQ(a * b, c);
    c *= c;
    expect_near((a * b) * (a * b), c, 1e-9);
  }
}

TEST(Matrix3x3, inverses)
{
  Random random;
  for (int round = 0; round < 100; ++round) {
    const Matrix3x3 a = random_matrix(random);
    const double det = a.determinant();
    if (std::fabs(det) < 1.0) {
      continue;
    }
    const Rows r = rows_of(a);
    EXPECT_NEAR(
      r[0][0] * r[1][1] * r[2][2] + r[0][1] * r[1][2] * r[2][0] + r[0][2] * r[1][0] * r[2][1] -
      r[0][2] * r[1][1] * r[2][0] - r[0][1] * r[1][0] * r[2][2] - r[0][0] * r[1][2] * r[2][1], det, 1e-10);
    expect_near(Matrix3x3::getIdentity(), a * a.inverse(), 1e-10);
    expect_near(Matrix3x3(det, 0, 0, 0, det, 0, 0, 0, det), a.adjoint() * a, 1e-9);
  }
}

TEST(Matrix3x3, rotations)
{
  Random random;
  for (int round = 0; round < 500; ++round) {
    // Half turns and nearly half turns about all axes reach all cases of the conversion.
    const Vector3 axis =
      round < 6 ? Vector3(round % 3 == 0, round % 3 == 1, round % 3 == 2) : random.direction();
    const double angle = round < 3 ? pi : round < 6 ? pi - 1e-9 : round == 6 ? 1e-12 : random.angle();
    const Quaternion q(axis, angle);
    const Matrix3x3 m(q * 2.0);
    expect_near(about(axis, angle), m, 1e-14);
    Quaternion back;
    m.getRotation(back);
    expect_same_rotation(q, back);
    EXPECT_NEAR(1.0, m.determinant(), 1e-14);
  }
}

TEST(Matrix3x3, euler_angles)
{
  Random random;
  for (int round = 0; round < 500; ++round) {
    const double roll = random.angle(), pitch = random.number(-pi / 2, pi / 2), yaw = random.angle();
    Matrix3x3 m;
    m.setRPY(roll, pitch, yaw);
    expect_near(product(product(about_z(yaw), about_y(pitch)), about_x(roll)), m);
    double r = 0, p = 0, y = 0;
    m.getRPY(r, p, y);
    EXPECT_NEAR(roll, r, 1e-11);
    EXPECT_NEAR(pitch, p, 1e-11);
    EXPECT_NEAR(yaw, y, 1e-11);
    m.getEulerZYX(y, p, r, 2);
    EXPECT_NEAR(pi - pitch, p, 1e-11);
    Matrix3x3 other;
    other.setEulerYPR(y, p, r);
    expect_near(m, other, 1e-13);
    other.setEulerZYX(y, p, r);
    expect_near(m, other, 1e-13);
  }
}

TEST(Matrix3x3, gimbal_lock)
{
  for (const double sign : {1.0, -1.0}) {
    for (const double roll : {-2.0, 0.0, 0.3, 3.0}) {
      for (const double yaw : {-3.0, 0.0, 1.0}) {
        for (const double off : {0.0, 1e-9, 1e-7, 1e-4}) {
          Matrix3x3 m;
          m.setRPY(roll, sign * (pi / 2 - off), yaw);
          for (const unsigned int solution : {1u, 2u}) {
            double r = 0, p = 0, y = 0;
            m.getEulerYPR(y, p, r, solution);
            Matrix3x3 back;
            back.setEulerYPR(y, p, r);
            expect_near(m, back, 3e-8);
            if (off == 0.0) {
              EXPECT_NEAR(sign * pi / 2, p, 1e-12);
            }
          }
        }
      }
    }
  }
  double r = 1, p = 1, y = 1;
  Matrix3x3(0, 0, 1, 0, 1, 0, -1, 0, 0).getRPY(r, p, y);
  EXPECT_EQ(0.0, y);
  EXPECT_NEAR(0.0, r, 1e-15);
  EXPECT_DOUBLE_EQ(pi / 2, p);
}

TEST(Matrix3x3, diagonalize)
{
  Random random;
  for (int round = 0; round < 200; ++round) {
    const Matrix3x3 any = random_matrix(random);
    Matrix3x3 m = any * any.transpose();
    if (round == 0) {
      m.setIdentity();
    } else if (round == 1) {
      m.setValue(1, 0, 2, 0, 1, 0, 2, 0, 1);
    } else if (round == 2) {
      m.setValue(0, 1, 0, 1, 0, 0, 0, 0, 0);
    }
    const Matrix3x3 old = m;
    Matrix3x3 rot;
    m.diagonalize(rot, 1e-12, 50);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        if (i != j) {
          EXPECT_NEAR(0.0, m[i][j], 1e-9);
        }
      }
    }
    expect_near(old, rot * m * rot.transpose(), 1e-10);
    expect_near(Matrix3x3::getIdentity(), rot * rot.transpose(), 1e-13);
    EXPECT_NEAR(1.0, rot.determinant(), 1e-13);
  }
  Matrix3x3 unchanged(1, 2, 0, 2, 1, 0, 0, 0, 1), rot;
  unchanged.diagonalize(rot, 1e-12, 0);
  EXPECT_EQ(Matrix3x3(1, 2, 0, 2, 1, 0, 0, 0, 1), unchanged);
}

TEST(Matrix3x3, opengl)
{
  const Transform transform(Matrix3x3(1, 2, 3, 4, 5, 6, 7, 8, 9), Vector3(10, 11, 12));
  double m[16];
  transform.getOpenGLMatrix(m);
  const double expected[16] = {1, 4, 7, 0, 2, 5, 8, 0, 3, 6, 9, 0, 10, 11, 12, 1};
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(expected[i], m[i]) << i;
  }
  Transform back;
  back.setFromOpenGLMatrix(m);
  EXPECT_EQ(transform, back);
}

TEST(Transform, applies_rotation_then_translation)
{
  Random random;
  for (int round = 0; round < 100; ++round) {
    const Quaternion q = random.rotation();
    const Vector3 origin = random.vector(), v = random.vector();
    const Transform t(q, origin);
    expect_near(quatRotate(q, v) + origin, t * v);
    EXPECT_EQ(t(v), t * v);
    expect_near(v, t.invXform(t * v));
    expect_near(v, t.inverse() * (t * v));
    expect_same_rotation(q, t.getRotation());
    expect_same_rotation(q * q, t * q);
  }
}

TEST(Transform, products)
{
  Random random;
  for (int round = 0; round < 100; ++round) {
    const Transform a = random.transform(), b = random.transform();
    const Vector3 v = random.vector();
    expect_near(a * (b * v), (a * b) * v);
    expect_near(a.inverse() * (b * v), a.inverseTimes(b) * v);
    Transform c = a;
    c *= b;
    EXPECT_EQ(a * b, c);
    c.mult(b, a);
    EXPECT_EQ(b * a, c);
    c.mult(c, c);
    expect_near((b * a) * ((b * a) * v), c * v);
    c = a;
    c *= c;
    EXPECT_EQ(a * a, c);
  }
}

TEST(Transform, parts)
{
  Transform t;
  t.setIdentity();
  EXPECT_EQ(Transform::getIdentity(), t);
  EXPECT_EQ(Transform(Quaternion(0, 0, 0, 1)), t);
  t.setOrigin(Vector3(1, 2, 3));
  t.getOrigin().setX(5);
  t.setBasis(Matrix3x3(0, -1, 0, 1, 0, 0, 0, 0, 1));
  EXPECT_EQ(Vector3(3, 3, 3), t * Vector3(1, 2, 0));
  t.setRotation(Quaternion(Vector3(0, 0, 1), pi));
  expect_near(Vector3(4, 0, 3), t * Vector3(1, 2, 0));
  EXPECT_NE(Transform::getIdentity(), t);
}

}  // namespace
