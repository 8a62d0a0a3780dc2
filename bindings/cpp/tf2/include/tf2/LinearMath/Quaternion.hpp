// Rotations as quaternions.
#ifndef TF2_LINEARMATH_QUATERNION_HPP_
#define TF2_LINEARMATH_QUATERNION_HPP_

#include "tf2/LinearMath/QuadWord.hpp"
#include "tf2/LinearMath/Scalar.hpp"
#include "tf2/LinearMath/Vector3.hpp"

namespace tf2
{

/// A quaternion. Of length 1 it is a rotation; q and -q are the same one. All angles are in radians.
class Quaternion : public QuadWord
{
public:
  /// Makes a quaternion of zeros, which is no rotation.
  Quaternion() = default;

  Quaternion(const tf2Scalar & x, const tf2Scalar & y, const tf2Scalar & z, const tf2Scalar & w)
  : QuadWord(x, y, z, w)
  {
  }

  /// Makes a rotation about an axis of any length but 0.
  Quaternion(const Vector3 & axis, const tf2Scalar & angle) {setRotation(axis, angle);}

  /// Sets a rotation about an axis of any length but 0.
  void setRotation(const Vector3 & axis, const tf2Scalar & angle)
  {
    const Vector3 part = axis * (tf2Sin(0.5 * angle) / axis.length());
    setValue(part.x(), part.y(), part.z(), tf2Cos(0.5 * angle));
  }

  /// Sets rotations about Y (yaw), then the new X (pitch), then the new Z (roll).
  void setEuler(const tf2Scalar & yaw, const tf2Scalar & pitch, const tf2Scalar & roll)
  {
    *this = aboutAxis(1, yaw);
    *this *= aboutAxis(0, pitch);
    *this *= aboutAxis(2, roll);
  }

  /// Sets rotations about the fixed axes X (roll), then Y (pitch), then Z (yaw).
  void setRPY(const tf2Scalar & roll, const tf2Scalar & pitch, const tf2Scalar & yaw)
  {
    *this = aboutAxis(2, yaw);
    *this *= aboutAxis(1, pitch);
    *this *= aboutAxis(0, roll);
  }

  /// As setRPY, in another order.
  void setEulerZYX(const tf2Scalar & yaw, const tf2Scalar & pitch, const tf2Scalar & roll)
  {
    setRPY(roll, pitch, yaw);
  }

  Quaternion & operator+=(const Quaternion & q)
  {
    setValue(x() + q.x(), y() + q.y(), z() + q.z(), w() + q.w());
    return *this;
  }

  Quaternion & operator-=(const Quaternion & q)
  {
    setValue(x() - q.x(), y() - q.y(), z() - q.z(), w() - q.w());
    return *this;
  }

  Quaternion & operator*=(const tf2Scalar & s)
  {
    setValue(x() * s, y() * s, z() * s, w() * s);
    return *this;
  }

  /// Multiplies by q from the right: the rotation q, then this one.
  Quaternion & operator*=(const Quaternion & q)
  {
    setValue(
      w() * q.x() + x() * q.w() + y() * q.z() - z() * q.y(),
      w() * q.y() - x() * q.z() + y() * q.w() + z() * q.x(),
      w() * q.z() + x() * q.y() - y() * q.x() + z() * q.w(),
      w() * q.w() - x() * q.x() - y() * q.y() - z() * q.z());
    return *this;
  }

  Quaternion & operator/=(const tf2Scalar & s) {return *this *= 1.0 / s;}

  tf2Scalar dot(const Quaternion & q) const {return x() * q.x() + y() * q.y() + z() * q.z() + w() * q.w();}

  /// The square of the length.
  tf2Scalar length2() const {return dot(*this);}

  tf2Scalar length() const {return tf2Sqrt(length2());}

  /// Makes the length 1. A quaternion of zeros becomes NaN.
  Quaternion & normalize() {return *this /= length();}

  /// Returns the quaternion with length 1; NaN for zeros.
  Quaternion normalized() const
  {
    Quaternion result = *this;
    return result.normalize();
  }

  Quaternion operator*(const tf2Scalar & s) const {return Quaternion(x() * s, y() * s, z() * s, w() * s);}

  Quaternion operator/(const tf2Scalar & s) const {return *this * (1.0 / s);}

  Quaternion operator+(const Quaternion & q) const
  {
    return Quaternion(x() + q.x(), y() + q.y(), z() + q.z(), w() + q.w());
  }

  Quaternion operator-(const Quaternion & q) const
  {
    return Quaternion(x() - q.x(), y() - q.y(), z() - q.z(), w() - q.w());
  }

  Quaternion operator-() const {return Quaternion(-x(), -y(), -z(), -w());}

  /// Half of the angle of the rotation from this one to q, from 0 to pi.
  tf2Scalar angle(const Quaternion & q) const
  {
    // Unlike the arc cosine of the dot product this is exact also for small angles.
    const Quaternion a = normalized();
    const Quaternion b = q.normalized();
    return 2.0 * tf2Atan2((a - b).length(), (a + b).length());
  }

  /// The angle of the rotation from this one to q on the shorter way, from 0 to pi.
  tf2Scalar angleShortestPath(const Quaternion & q) const {return 2.0 * (dot(q) < 0.0 ? angle(-q) : angle(q));}

  /// The angle of the rotation, from 0 to 2 pi.
  tf2Scalar getAngle() const {return 2.0 * tf2Atan2(Vector3(x(), y(), z()).length(), w());}

  /// The angle of the rotation on the shorter way, from 0 to pi.
  tf2Scalar getAngleShortestPath() const
  {
    return 2.0 * tf2Atan2(Vector3(x(), y(), z()).length(), tf2Fabs(w()));
  }

  /// The axis of the rotation, of length 1; X if there is no rotation.
  Vector3 getAxis() const
  {
    const Vector3 part(x(), y(), z());
    return part.isZero() ? Vector3(1.0, 0.0, 0.0) : part.normalized();
  }

  /// Returns the inverse of a rotation.
  Quaternion inverse() const {return Quaternion(-x(), -y(), -z(), w());}

  /// Returns that of qd and -qd which is farther away.
  Quaternion farthest(const Quaternion & qd) const {return dot(qd) < 0.0 ? qd : -qd;}

  /// Returns that of qd and -qd which is nearer.
  Quaternion nearest(const Quaternion & qd) const {return dot(qd) < 0.0 ? -qd : qd;}

  /// Returns the rotation between this (t = 0) and q (t = 1) on the shorter way, with constant speed.
  Quaternion slerp(const Quaternion & q, const tf2Scalar & t) const
  {
    const Quaternion target = nearest(q);
    const tf2Scalar theta = angle(target);
    if (theta == 0.0) {
      return *this;
    }
    const tf2Scalar scale = 1.0 / tf2Sin(theta);
    return *this * (tf2Sin((1.0 - t) * theta) * scale) + target * (tf2Sin(t * theta) * scale);
  }

  /// The rotation that changes nothing.
  TF2_LOCAL_STATIC static const Quaternion & getIdentity()
  {
    static const Quaternion identity(0.0, 0.0, 0.0, 1.0);
    return identity;
  }

  const tf2Scalar & getW() const {return m_floats[3];}

private:
  static Quaternion aboutAxis(int axis, tf2Scalar angle)
  {
    Quaternion result(0.0, 0.0, 0.0, tf2Cos(0.5 * angle));
    result.m_floats[axis] = tf2Sin(0.5 * angle);
    return result;
  }
};

inline Quaternion operator*(const tf2Scalar & s, const Quaternion & q) {return q * s;}

/// Returns the rotation q2, then q1.
inline Quaternion operator*(const Quaternion & q1, const Quaternion & q2)
{
  Quaternion result = q1;
  return result *= q2;
}

/// Returns the product with the quaternion (v, 0).
inline Quaternion operator*(const Quaternion & q, const Vector3 & v)
{
  return q * Quaternion(v.x(), v.y(), v.z(), 0.0);
}

/// Returns the product of the quaternion (v, 0) with q.
inline Quaternion operator*(const Vector3 & v, const Quaternion & q)
{
  return Quaternion(v.x(), v.y(), v.z(), 0.0) * q;
}

inline tf2Scalar dot(const Quaternion & q1, const Quaternion & q2) {return q1.dot(q2);}

inline tf2Scalar length(const Quaternion & q) {return q.length();}

/// Half of the angle of the rotation from q1 to q2, from 0 to pi.
inline tf2Scalar angle(const Quaternion & q1, const Quaternion & q2) {return q1.angle(q2);}

/// The angle of the rotation from q1 to q2 on the shorter way, from 0 to pi.
inline tf2Scalar angleShortestPath(const Quaternion & q1, const Quaternion & q2) {return q1.angleShortestPath(q2);}

/// Returns the inverse of a rotation.
inline Quaternion inverse(const Quaternion & q) {return q.inverse();}

/// Returns the rotation between q1 (t = 0) and q2 (t = 1) on the shorter way.
inline Quaternion slerp(const Quaternion & q1, const Quaternion & q2, const tf2Scalar & t) {return q1.slerp(q2, t);}

/// Returns the vector turned by a rotation.
inline Vector3 quatRotate(const Quaternion & rotation, const Vector3 & v)
{
  // The product q (v, 0) q* written out for the vector part u and the scalar part w of q.
  const Vector3 u(rotation.x(), rotation.y(), rotation.z());
  const tf2Scalar w = rotation.w();
  return 2.0 * u.dot(v) * u + (w * w - u.length2()) * v + 2.0 * w * u.cross(v);
}

/// Returns the rotation on the shorter way from v0 to v1, which have length 1.
inline Quaternion shortestArcQuat(const Vector3 & v0, const Vector3 & v1)
{
  const tf2Scalar cosine = v0.dot(v1);
  if (cosine < -1.0 + TF2SIMD_EPSILON) {
    // Half a turn about any perpendicular axis.
    Vector3 axis;
    Vector3 unused;
    tf2PlaneSpace1(v0, axis, unused);
    return Quaternion(axis.x(), axis.y(), axis.z(), 0.0);
  }
  // (v0 x v1, 1 + v0 . v1) has the direction of the half angle.
  const Vector3 axis = v0.cross(v1);
  return Quaternion(axis.x(), axis.y(), axis.z(), 1.0 + cosine).normalized();
}

/// Makes the lengths of both vectors 1 and returns the rotation on the shorter way between them.
inline Quaternion shortestArcQuatNormalize2(Vector3 & v0, Vector3 & v1)
{
  v0.normalize();
  v1.normalize();
  return shortestArcQuat(v0, v1);
}

}  // namespace tf2

#endif
