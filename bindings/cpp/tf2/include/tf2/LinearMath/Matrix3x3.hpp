// Matrices of three rows and columns, mostly rotations.
#ifndef TF2_LINEARMATH_MATRIX3X3_HPP_
#define TF2_LINEARMATH_MATRIX3X3_HPP_

#include "tf2/LinearMath/Quaternion.hpp"
#include "tf2/LinearMath/Scalar.hpp"
#include "tf2/LinearMath/Vector3.hpp"

namespace tf2
{

/// A matrix. All angles are in radians.
class Matrix3x3
{
public:
  /// Makes a matrix of zeros.
  Matrix3x3() = default;

  /// Makes the matrix of a rotation; the quaternion may have any length but 0.
  explicit Matrix3x3(const Quaternion & q) {setRotation(q);}

  /// Makes a matrix from its rows.
  Matrix3x3(
    const tf2Scalar & xx, const tf2Scalar & xy, const tf2Scalar & xz,
    const tf2Scalar & yx, const tf2Scalar & yy, const tf2Scalar & yz,
    const tf2Scalar & zx, const tf2Scalar & zy, const tf2Scalar & zz)
  : m_el{Vector3(xx, xy, xz), Vector3(yx, yy, yz), Vector3(zx, zy, zz)}
  {
  }

  Vector3 getColumn(int i) const {return Vector3(m_el[0][i], m_el[1][i], m_el[2][i]);}
  const Vector3 & getRow(int i) const {return m_el[i];}
  Vector3 & operator[](int i) {return m_el[i];}
  const Vector3 & operator[](int i) const {return m_el[i];}

  /// Multiplies by m from the right.
  Matrix3x3 & operator*=(const Matrix3x3 & m) {return *this = m.timesFromLeft(*this);}

  /// Sets the matrix from the first three columns of a 4 x 4 matrix of OpenGL.
  void setFromOpenGLSubMatrix(const tf2Scalar * m)
  {
    for (int row = 0; row < 3; ++row) {
      m_el[row].setValue(m[row], m[4 + row], m[8 + row]);
    }
  }

  /// Sets the rows.
  void setValue(
    const tf2Scalar & xx, const tf2Scalar & xy, const tf2Scalar & xz,
    const tf2Scalar & yx, const tf2Scalar & yy, const tf2Scalar & yz,
    const tf2Scalar & zx, const tf2Scalar & zy, const tf2Scalar & zz)
  {
    *this = Matrix3x3(xx, xy, xz, yx, yy, yz, zx, zy, zz);
  }

  /// Sets the matrix of a rotation; the quaternion may have any length but 0.
  void setRotation(const Quaternion & q)
  {
    const tf2Scalar s = 2.0 / q.length2();
    const tf2Scalar xx = s * q.x() * q.x(), yy = s * q.y() * q.y(), zz = s * q.z() * q.z();
    const tf2Scalar xy = s * q.x() * q.y(), xz = s * q.x() * q.z(), yz = s * q.y() * q.z();
    const tf2Scalar wx = s * q.w() * q.x(), wy = s * q.w() * q.y(), wz = s * q.w() * q.z();
    setValue(
      1.0 - (yy + zz), xy - wz, xz + wy,
      xy + wz, 1.0 - (xx + zz), yz - wx,
      xz - wy, yz + wx, 1.0 - (xx + yy));
  }

  /// Sets rotations about the fixed axes X (roll), then Y (pitch), then Z (yaw).
  void setEulerYPR(tf2Scalar yaw, tf2Scalar pitch, tf2Scalar roll)
  {
    const tf2Scalar cy = tf2Cos(yaw), sy = tf2Sin(yaw);
    const tf2Scalar cp = tf2Cos(pitch), sp = tf2Sin(pitch);
    const tf2Scalar cr = tf2Cos(roll), sr = tf2Sin(roll);
    setValue(
      cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr,
      sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr,
      -sp, cp * sr, cp * cr);
  }

  /// As setEulerYPR, with the older name.
  void setEulerZYX(const tf2Scalar & yaw, const tf2Scalar & pitch, const tf2Scalar & roll)
  {
    setEulerYPR(yaw, pitch, roll);
  }

  /// As setEulerYPR, in another order.
  void setRPY(tf2Scalar roll, tf2Scalar pitch, tf2Scalar yaw) {setEulerYPR(yaw, pitch, roll);}

  void setIdentity() {setValue(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);}

  /// The rotation that changes nothing.
  TF2_LOCAL_STATIC static const Matrix3x3 & getIdentity()
  {
    static const Matrix3x3 identity(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
    return identity;
  }

  /// Writes the first three columns of a 4 x 4 matrix of OpenGL.
  void getOpenGLSubMatrix(tf2Scalar * m) const
  {
    for (int column = 0; column < 3; ++column) {
      m[4 * column] = m_el[0][column];
      m[4 * column + 1] = m_el[1][column];
      m[4 * column + 2] = m_el[2][column];
      m[4 * column + 3] = 0.0;
    }
  }

  /// Gets the quaternion, of length 1, of a rotation.
  void getRotation(Quaternion & q) const
  {
    // The squares of 2x, 2y, 2z and 2w. One of them is at least 1, so that its root is a good divisor. That number is positive:
    // w if possible.
    const tf2Scalar squares[4] = {
      1.0 + m_el[0].x() - m_el[1].y() - m_el[2].z(), 1.0 - m_el[0].x() + m_el[1].y() - m_el[2].z(),
      1.0 - m_el[0].x() - m_el[1].y() + m_el[2].z(), 1.0 + m_el[0].x() + m_el[1].y() + m_el[2].z()};
    int divisor = 3;
    if (squares[3] <= 1.0) {
      divisor = squares[0] < squares[1] ? 1 : 0;
      divisor = squares[divisor] < squares[2] ? 2 : divisor;
    }
    // Sums of mirrored elements are 4xy, 4xz and 4yz, differences are 4wz, 4wy and 4wx.
    const tf2Scalar xy = m_el[1].x() + m_el[0].y(), xz = m_el[2].x() + m_el[0].z(), yz = m_el[2].y() + m_el[1].z();
    const tf2Scalar wx = m_el[2].y() - m_el[1].z(), wy = m_el[0].z() - m_el[2].x(), wz = m_el[1].x() - m_el[0].y();
    const tf2Scalar square = squares[divisor];
    const Quaternion products[4] = {
      Quaternion(square, xy, xz, wx), Quaternion(xy, square, yz, wy), Quaternion(xz, yz, square, wz),
      Quaternion(wx, wy, wz, square)};
    q = products[divisor] * (0.5 / tf2Sqrt(square));
  }

  /// As getEulerYPR, with the older name.
  void getEulerZYX(tf2Scalar & yaw, tf2Scalar & pitch, tf2Scalar & roll, unsigned int solution_number = 1) const
  {
    getEulerYPR(yaw, pitch, roll, solution_number);
  }

  /// Gets the angles of setEulerYPR from a rotation.
  ///
  /// Solution 1 has the pitch from -pi/2 to pi/2, solution 2 the other one. Where X points straight up or down only
  /// the difference or sum of yaw and roll is known: then the yaw is 0, in both solutions.
  void getEulerYPR(tf2Scalar & yaw, tf2Scalar & pitch, tf2Scalar & roll, unsigned int solution_number = 1) const
  {
    const tf2Scalar sine = -m_el[2].x();
    if (tf2Fabs(sine) >= 1.0) {
      yaw = 0.0;
      pitch = sine > 0.0 ? TF2SIMD_HALF_PI : -TF2SIMD_HALF_PI;
      roll = tf2Atan2(-m_el[1].z(), m_el[1].y());
      return;
    }
    // Both signs of the cosine of the pitch are solutions.
    const tf2Scalar sign = solution_number == 1 ? 1.0 : -1.0;
    const tf2Scalar cosine = tf2Sqrt(m_el[0].x() * m_el[0].x() + m_el[1].x() * m_el[1].x());
    pitch = tf2Atan2(sine, cosine);
    pitch = solution_number == 1 ? pitch : TF2SIMD_PI - pitch;
    yaw = tf2Atan2(sign * m_el[1].x(), sign * m_el[0].x());
    roll = tf2Atan2(sign * m_el[2].y(), sign * m_el[2].z());
  }

  /// As getEulerYPR, in another order.
  void getRPY(tf2Scalar & roll, tf2Scalar & pitch, tf2Scalar & yaw, unsigned int solution_number = 1) const
  {
    getEulerYPR(yaw, pitch, roll, solution_number);
  }

  /// Returns the matrix with each column multiplied by a number of s.
  Matrix3x3 scaled(const Vector3 & s) const {return fromRows(m_el[0] * s, m_el[1] * s, m_el[2] * s);}

  tf2Scalar determinant() const {return tf2Triple(m_el[0], m_el[1], m_el[2]);}

  /// Returns the transposed matrix of cofactors, which is the inverse times the determinant.
  Matrix3x3 adjoint() const
  {
    return Matrix3x3(
      cofac(1, 1, 2, 2), cofac(0, 2, 2, 1), cofac(0, 1, 1, 2),
      cofac(1, 2, 2, 0), cofac(0, 0, 2, 2), cofac(0, 2, 1, 0),
      cofac(1, 0, 2, 1), cofac(0, 1, 2, 0), cofac(0, 0, 1, 1));
  }

  Matrix3x3 absolute() const {return fromRows(m_el[0].absolute(), m_el[1].absolute(), m_el[2].absolute());}

  Matrix3x3 transpose() const {return fromRows(getColumn(0), getColumn(1), getColumn(2));}

  /// Returns the inverse; NaN or infinite if the determinant is 0.
  Matrix3x3 inverse() const
  {
    const tf2Scalar s = 1.0 / determinant();
    const Matrix3x3 a = adjoint();
    return fromRows(a[0] * s, a[1] * s, a[2] * s);
  }

  /// Returns the transpose of this times m.
  Matrix3x3 transposeTimes(const Matrix3x3 & m) const {return m.timesFromLeft(transpose());}

  /// Returns this times the transpose of m.
  Matrix3x3 timesTranspose(const Matrix3x3 & m) const {return m.transpose().timesFromLeft(*this);}

  /// The dot product of column 0, 1 or 2 with v.
  tf2Scalar tdotx(const Vector3 & v) const {return getColumn(0).dot(v);}
  tf2Scalar tdoty(const Vector3 & v) const {return getColumn(1).dot(v);}
  tf2Scalar tdotz(const Vector3 & v) const {return getColumn(2).dot(v);}

  /// Makes a symmetric matrix diagonal with Jacobi's method, so that old matrix = rot * new matrix * rot.transpose().
  ///
  /// It stops after `maxSteps` or when all other elements are at most `threshold` times the sum of the diagonal.
  void diagonalize(Matrix3x3 & rot, tf2Scalar threshold, int maxSteps)
  {
    rot.setIdentity();
    for (int step = 0; step < maxSteps; ++step) {
      // The largest element above the diagonal.
      int p = 0, q = 1;
      if (tf2Fabs(m_el[0][2]) > tf2Fabs(m_el[p][q])) {
        q = 2;
      }
      if (tf2Fabs(m_el[1][2]) > tf2Fabs(m_el[p][q])) {
        p = 1;
        q = 2;
      }
      const tf2Scalar diagonal = tf2Fabs(m_el[0][0]) + tf2Fabs(m_el[1][1]) + tf2Fabs(m_el[2][2]);
      if (tf2Fabs(m_el[p][q]) <= threshold * diagonal || m_el[p][q] == 0.0) {
        return;
      }
      const Matrix3x3 turn = jacobiRotation(p, q);
      *this = (turn.timesFromLeft(*this)).timesFromLeft(turn.transpose());
      m_el[p][q] = 0.0;
      m_el[q][p] = 0.0;
      rot *= turn;
    }
  }

  /// The determinant of the elements in the rows r1 and r2 and the columns c1 and c2.
  tf2Scalar cofac(int r1, int c1, int r2, int c2) const
  {
    return m_el[r1][c1] * m_el[r2][c2] - m_el[r1][c2] * m_el[r2][c1];
  }

private:
  static Matrix3x3 fromRows(const Vector3 & x, const Vector3 & y, const Vector3 & z)
  {
    return Matrix3x3(x.x(), x.y(), x.z(), y.x(), y.y(), y.z(), z.x(), z.y(), z.z());
  }

  // Returns left times this.
  Matrix3x3 timesFromLeft(const Matrix3x3 & left) const
  {
    Matrix3x3 product;
    for (int row = 0; row < 3; ++row) {
      product[row].setValue(tdotx(left[row]), tdoty(left[row]), tdotz(left[row]));
    }
    return product;
  }

  // The rotation in the plane of the axes p and q that makes the element at p, q zero. The smaller of the two angles
  // t = tan(phi) that solve t^2 + 2 t cot(2 phi) - 1 = 0.
  Matrix3x3 jacobiRotation(int p, int q) const
  {
    const tf2Scalar cot = (m_el[q][q] - m_el[p][p]) / (2.0 * m_el[p][q]);
    const tf2Scalar tan = (cot < 0.0 ? -1.0 : 1.0) / (tf2Fabs(cot) + tf2Sqrt(cot * cot + 1.0));
    const tf2Scalar cosine = 1.0 / tf2Sqrt(tan * tan + 1.0);
    Matrix3x3 turn = getIdentity();
    turn[p][p] = cosine;
    turn[q][q] = cosine;
    turn[p][q] = tan * cosine;
    turn[q][p] = -tan * cosine;
    return turn;
  }

  Vector3 m_el[3];
};

inline Vector3 operator*(const Matrix3x3 & m, const Vector3 & v)
{
  return Vector3(m[0].dot(v), m[1].dot(v), m[2].dot(v));
}

/// Returns the product of the row v with m.
inline Vector3 operator*(const Vector3 & v, const Matrix3x3 & m)
{
  return Vector3(m.tdotx(v), m.tdoty(v), m.tdotz(v));
}

inline Matrix3x3 operator*(const Matrix3x3 & m1, const Matrix3x3 & m2)
{
  Matrix3x3 product = m1;
  return product *= m2;
}

inline bool operator==(const Matrix3x3 & m1, const Matrix3x3 & m2)
{
  return m1[0] == m2[0] && m1[1] == m2[1] && m1[2] == m2[2];
}

inline bool operator!=(const Matrix3x3 & m1, const Matrix3x3 & m2) {return !(m1 == m2);}

}  // namespace tf2

#endif
