// Rigid transforms.
#ifndef TF2_LINEARMATH_TRANSFORM_HPP_
#define TF2_LINEARMATH_TRANSFORM_HPP_

#include "tf2/LinearMath/Matrix3x3.hpp"
#include "tf2/LinearMath/Quaternion.hpp"
#include "tf2/LinearMath/Scalar.hpp"
#include "tf2/LinearMath/Vector3.hpp"

namespace tf2
{

/// A rotation (basis) and then a translation (origin).
class Transform
{
public:
  /// Makes a transform of zeros, which is not valid.
  Transform() = default;

  explicit Transform(const Quaternion & q, const Vector3 & c = Vector3(0.0, 0.0, 0.0))
  : m_basis(q), m_origin(c)
  {
  }

  explicit Transform(const Matrix3x3 & b, const Vector3 & c = Vector3(0.0, 0.0, 0.0))
  : m_basis(b), m_origin(c)
  {
  }

  /// Sets the transform t2, then t1.
  void mult(const Transform & t1, const Transform & t2) {*this = t1 * t2;}

  /// Returns the transformed point.
  Vector3 operator()(const Vector3 & x) const {return m_basis * x + m_origin;}

  /// Returns the transformed point.
  Vector3 operator*(const Vector3 & x) const {return (*this)(x);}

  /// Returns the rotation q, then that of the transform.
  Quaternion operator*(const Quaternion & q) const {return getRotation() * q;}

  Matrix3x3 & getBasis() {return m_basis;}
  const Matrix3x3 & getBasis() const {return m_basis;}
  Vector3 & getOrigin() {return m_origin;}
  const Vector3 & getOrigin() const {return m_origin;}

  /// Returns the rotation.
  Quaternion getRotation() const
  {
    Quaternion q;
    m_basis.getRotation(q);
    return q;
  }

  /// Sets the transform from a 4 x 4 matrix of OpenGL, column by column.
  void setFromOpenGLMatrix(const tf2Scalar * m)
  {
    m_basis.setFromOpenGLSubMatrix(m);
    m_origin.setValue(m[12], m[13], m[14]);
  }

  /// Writes a 4 x 4 matrix of OpenGL, column by column.
  void getOpenGLMatrix(tf2Scalar * m) const
  {
    m_basis.getOpenGLSubMatrix(m);
    m[12] = m_origin.x();
    m[13] = m_origin.y();
    m[14] = m_origin.z();
    m[15] = 1.0;
  }

  void setOrigin(const Vector3 & origin) {m_origin = origin;}

  /// Returns the point that is transformed to inVec.
  Vector3 invXform(const Vector3 & inVec) const {return (inVec - m_origin) * m_basis;}

  void setBasis(const Matrix3x3 & basis) {m_basis = basis;}
  void setRotation(const Quaternion & q) {m_basis.setRotation(q);}

  void setIdentity()
  {
    m_basis.setIdentity();
    m_origin.setZero();
  }

  /// Multiplies by t from the right: the transform t, then this one.
  Transform & operator*=(const Transform & t) {return *this = *this * t;}

  Transform inverse() const {return Transform(m_basis.transpose(), invXform(Vector3(0.0, 0.0, 0.0)));}

  /// Returns inverse() * t.
  Transform inverseTimes(const Transform & t) const
  {
    return Transform(m_basis.transposeTimes(t.m_basis), invXform(t.m_origin));
  }

  /// Returns the transform t, then this one.
  Transform operator*(const Transform & t) const {return Transform(m_basis * t.m_basis, (*this)(t.m_origin));}

  /// The transform that changes nothing.
  TF2_LOCAL_STATIC static const Transform & getIdentity()
  {
    static const Transform identity(Matrix3x3::getIdentity());
    return identity;
  }

private:
  Matrix3x3 m_basis;
  Vector3 m_origin;
};

inline bool operator==(const Transform & t1, const Transform & t2)
{
  return t1.getBasis() == t2.getBasis() && t1.getOrigin() == t2.getOrigin();
}

inline bool operator!=(const Transform & t1, const Transform & t2) {return !(t1 == t2);}

}  // namespace tf2

#endif
