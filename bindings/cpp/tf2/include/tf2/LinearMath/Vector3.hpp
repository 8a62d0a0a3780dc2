// Vectors of three numbers.
#ifndef TF2_LINEARMATH_VECTOR3_HPP_
#define TF2_LINEARMATH_VECTOR3_HPP_

#include "tf2/LinearMath/MinMax.hpp"
#include "tf2/LinearMath/Scalar.hpp"

namespace tf2
{

/// A vector, for example a point or a translation in meters. It has a fourth number, w, without meaning.
class Vector3
{
public:
  tf2Scalar m_floats[4];

  /// Makes the zero vector.
  Vector3()
  : m_floats{0.0, 0.0, 0.0, 0.0}
  {
  }

  Vector3(const tf2Scalar & x, const tf2Scalar & y, const tf2Scalar & z)
  : m_floats{x, y, z, 0.0}
  {
  }

  Vector3 & operator+=(const Vector3 & v)
  {
    m_floats[0] += v.m_floats[0];
    m_floats[1] += v.m_floats[1];
    m_floats[2] += v.m_floats[2];
    return *this;
  }

  Vector3 & operator-=(const Vector3 & v)
  {
    m_floats[0] -= v.m_floats[0];
    m_floats[1] -= v.m_floats[1];
    m_floats[2] -= v.m_floats[2];
    return *this;
  }

  Vector3 & operator*=(const tf2Scalar & s)
  {
    m_floats[0] *= s;
    m_floats[1] *= s;
    m_floats[2] *= s;
    return *this;
  }

  /// Multiplies each number by that of v.
  Vector3 & operator*=(const Vector3 & v)
  {
    m_floats[0] *= v.m_floats[0];
    m_floats[1] *= v.m_floats[1];
    m_floats[2] *= v.m_floats[2];
    return *this;
  }

  Vector3 & operator/=(const tf2Scalar & s) {return *this *= 1.0 / s;}

  tf2Scalar dot(const Vector3 & v) const
  {
    return m_floats[0] * v.m_floats[0] + m_floats[1] * v.m_floats[1] + m_floats[2] * v.m_floats[2];
  }

  /// The square of the length.
  tf2Scalar length2() const {return dot(*this);}

  tf2Scalar length() const {return tf2Sqrt(length2());}

  /// The square of the distance to v.
  tf2Scalar distance2(const Vector3 & v) const
  {
    return Vector3(m_floats[0] - v.x(), m_floats[1] - v.y(), m_floats[2] - v.z()).length2();
  }

  tf2Scalar distance(const Vector3 & v) const {return tf2Sqrt(distance2(v));}

  /// Makes the length 1. The zero vector becomes NaN.
  Vector3 & normalize() {return *this /= length();}

  /// Returns the vector with length 1; NaN for the zero vector.
  Vector3 normalized() const
  {
    Vector3 result = *this;
    return result.normalize();
  }

  Vector3 cross(const Vector3 & v) const
  {
    return Vector3(
      m_floats[1] * v.m_floats[2] - m_floats[2] * v.m_floats[1],
      m_floats[2] * v.m_floats[0] - m_floats[0] * v.m_floats[2],
      m_floats[0] * v.m_floats[1] - m_floats[1] * v.m_floats[0]);
  }

  /// The dot product with the cross product of v1 and v2.
  tf2Scalar triple(const Vector3 & v1, const Vector3 & v2) const {return dot(v1.cross(v2));}

  /// Returns the vector turned about an axis of length 1 by an angle in radians.
  Vector3 rotate(const Vector3 & wAxis, const tf2Scalar angle) const
  {
    // The part along the axis stays; the part across it turns in its plane (Rodrigues).
    Vector3 along = wAxis;
    along *= wAxis.dot(*this);
    Vector3 across = *this;
    across -= along;
    Vector3 turned = wAxis.cross(*this);
    across *= tf2Cos(angle);
    turned *= tf2Sin(angle);
    along += across;
    along += turned;
    return along;
  }

  /// The angle to v in radians, from 0 to pi.
  tf2Scalar angle(const Vector3 & v) const {return tf2Acos(dot(v) / tf2Sqrt(length2() * v.length2()));}

  Vector3 absolute() const {return Vector3(tf2Fabs(m_floats[0]), tf2Fabs(m_floats[1]), tf2Fabs(m_floats[2]));}

  /// The index of the smallest number.
  int minAxis() const
  {
    const int of_first_two = m_floats[0] < m_floats[1] ? 0 : 1;
    return m_floats[of_first_two] < m_floats[2] ? of_first_two : 2;
  }

  /// The index of the largest number.
  int maxAxis() const
  {
    const int of_first_two = m_floats[0] < m_floats[1] ? 1 : 0;
    return m_floats[of_first_two] < m_floats[2] ? 2 : of_first_two;
  }

  /// The index of the smallest absolute value.
  int furthestAxis() const {return absolute().minAxis();}

  /// The index of the largest absolute value.
  int closestAxis() const {return absolute().maxAxis();}

  /// Sets the vector between v0 (rt = 0) and v1 (rt = 1).
  void setInterpolate3(const Vector3 & v0, const Vector3 & v1, tf2Scalar rt) {*this = v0.lerp(v1, rt);}

  /// Returns the vector between this (t = 0) and v (t = 1).
  Vector3 lerp(const Vector3 & v, const tf2Scalar & t) const
  {
    return Vector3(
      m_floats[0] + (v.m_floats[0] - m_floats[0]) * t,
      m_floats[1] + (v.m_floats[1] - m_floats[1]) * t,
      m_floats[2] + (v.m_floats[2] - m_floats[2]) * t);
  }

  const tf2Scalar & getX() const {return m_floats[0];}
  const tf2Scalar & getY() const {return m_floats[1];}
  const tf2Scalar & getZ() const {return m_floats[2];}
  void setX(tf2Scalar x) {m_floats[0] = x;}
  void setY(tf2Scalar y) {m_floats[1] = y;}
  void setZ(tf2Scalar z) {m_floats[2] = z;}
  void setW(tf2Scalar w) {m_floats[3] = w;}
  const tf2Scalar & x() const {return m_floats[0];}
  const tf2Scalar & y() const {return m_floats[1];}
  const tf2Scalar & z() const {return m_floats[2];}
  const tf2Scalar & w() const {return m_floats[3];}

  /// The numbers as an array, which also gives v[i].
  operator tf2Scalar *() {return m_floats;}
  operator const tf2Scalar *() const {return m_floats;}

  bool operator==(const Vector3 & other) const
  {
    return m_floats[0] == other.m_floats[0] && m_floats[1] == other.m_floats[1] &&
           m_floats[2] == other.m_floats[2] && m_floats[3] == other.m_floats[3];
  }
  bool operator!=(const Vector3 & other) const {return !(*this == other);}

  /// Sets each number to the larger one.
  void setMax(const Vector3 & other)
  {
    for (int i = 0; i < 4; ++i) {
      tf2SetMax(m_floats[i], other.m_floats[i]);
    }
  }

  /// Sets each number to the smaller one.
  void setMin(const Vector3 & other)
  {
    for (int i = 0; i < 4; ++i) {
      tf2SetMin(m_floats[i], other.m_floats[i]);
    }
  }

  void setValue(const tf2Scalar & x, const tf2Scalar & y, const tf2Scalar & z) {*this = Vector3(x, y, z);}

  /// Gets the rows of the matrix whose product with a vector is the cross product with this one.
  void getSkewSymmetricMatrix(Vector3 * v0, Vector3 * v1, Vector3 * v2) const
  {
    v0->setValue(0.0, -z(), y());
    v1->setValue(z(), 0.0, -x());
    v2->setValue(-y(), x(), 0.0);
  }

  void setZero() {*this = Vector3();}

  bool isZero() const {return m_floats[0] == 0.0 && m_floats[1] == 0.0 && m_floats[2] == 0.0;}

  /// True if the square of the length is less than the machine epsilon.
  bool fuzzyZero() const {return length2() < TF2SIMD_EPSILON;}
};

inline Vector3 operator+(const Vector3 & v1, const Vector3 & v2)
{
  return Vector3(v1.x() + v2.x(), v1.y() + v2.y(), v1.z() + v2.z());
}

inline Vector3 operator-(const Vector3 & v1, const Vector3 & v2)
{
  return Vector3(v1.x() - v2.x(), v1.y() - v2.y(), v1.z() - v2.z());
}

inline Vector3 operator-(const Vector3 & v) {return Vector3(-v.x(), -v.y(), -v.z());}

/// Returns the products of the numbers.
inline Vector3 operator*(const Vector3 & v1, const Vector3 & v2)
{
  return Vector3(v1.x() * v2.x(), v1.y() * v2.y(), v1.z() * v2.z());
}

inline Vector3 operator*(const Vector3 & v, const tf2Scalar & s) {return Vector3(v.x() * s, v.y() * s, v.z() * s);}

inline Vector3 operator*(const tf2Scalar & s, const Vector3 & v) {return v * s;}

inline Vector3 operator/(const Vector3 & v, const tf2Scalar & s) {return v * (1.0 / s);}

/// Returns the quotients of the numbers.
inline Vector3 operator/(const Vector3 & v1, const Vector3 & v2)
{
  return Vector3(v1.x() / v2.x(), v1.y() / v2.y(), v1.z() / v2.z());
}

inline tf2Scalar tf2Dot(const Vector3 & v1, const Vector3 & v2) {return v1.dot(v2);}
inline tf2Scalar tf2Distance2(const Vector3 & v1, const Vector3 & v2) {return v1.distance2(v2);}
inline tf2Scalar tf2Distance(const Vector3 & v1, const Vector3 & v2) {return v1.distance(v2);}
inline tf2Scalar tf2Angle(const Vector3 & v1, const Vector3 & v2) {return v1.angle(v2);}
inline Vector3 tf2Cross(const Vector3 & v1, const Vector3 & v2) {return v1.cross(v2);}
inline tf2Scalar tf2Triple(const Vector3 & v1, const Vector3 & v2, const Vector3 & v3) {return v1.triple(v2, v3);}

/// Returns the vector between v1 (t = 0) and v2 (t = 1).
inline Vector3 lerp(const Vector3 & v1, const Vector3 & v2, const tf2Scalar & t) {return v1.lerp(v2, t);}

/// A vector whose fourth number has a meaning.
class tf2Vector4 : public Vector3
{
public:
  tf2Vector4() = default;

  tf2Vector4(const tf2Scalar & x, const tf2Scalar & y, const tf2Scalar & z, const tf2Scalar & w)
  : Vector3(x, y, z)
  {
    m_floats[3] = w;
  }

  tf2Vector4 absolute4() const
  {
    return tf2Vector4(tf2Fabs(m_floats[0]), tf2Fabs(m_floats[1]), tf2Fabs(m_floats[2]), tf2Fabs(m_floats[3]));
  }

  const tf2Scalar & getW() const {return m_floats[3];}

  /// The index of the largest number.
  int maxAxis4() const
  {
    const int of_first_three = maxAxis();
    return m_floats[of_first_three] < m_floats[3] ? 3 : of_first_three;
  }

  /// The index of the smallest number.
  int minAxis4() const
  {
    const int of_first_three = minAxis();
    return m_floats[3] < m_floats[of_first_three] ? 3 : of_first_three;
  }

  /// The index of the largest absolute value.
  int closestAxis4() const {return absolute4().maxAxis4();}

  void setValue(const tf2Scalar & x, const tf2Scalar & y, const tf2Scalar & z, const tf2Scalar & w)
  {
    *this = tf2Vector4(x, y, z, w);
  }
};

/// Gets two vectors of length 1 that are perpendicular to n, of length 1, and to each other.
inline void tf2PlaneSpace1(const Vector3 & n, Vector3 & p, Vector3 & q)
{
  // The axis to which n has the largest angle gives the best conditioned cross product.
  Vector3 axis;
  axis.m_floats[n.furthestAxis()] = 1.0;
  p = n.cross(axis).normalized();
  q = n.cross(p);
}

}  // namespace tf2

#endif
