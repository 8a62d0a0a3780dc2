// Angles of quaternions and the identity of any type.
#ifndef TF2_UTILS_HPP_
#define TF2_UTILS_HPP_

#include "tf2/LinearMath/Quaternion.hpp"
#include "tf2/LinearMath/Transform.hpp"
#include "tf2/convert.hpp"
#include "tf2/impl/utils.hpp"
#include "tf2/transform_datatypes.hpp"

namespace tf2
{

/// Gets the angles, in radians, of a tf2::Quaternion, a quaternion message or a type that converts to one.
///
/// Where X points straight up or down only the difference or sum of yaw and roll is known: then the roll is 0.
template<class A>
void getEulerYPR(const A & a, double & yaw, double & pitch, double & roll)
{
  impl::getEulerYPR(impl::toQuaternion(a), yaw, pitch, roll);
}

/// Returns the yaw of getEulerYPR, in radians.
template<class A>
double getYaw(const A & a) {return impl::getYaw(impl::toQuaternion(a));}

/// Returns the transform that changes nothing, as any type that converts from tf2::Transform.
template<class A>
A getTransformIdentity()
{
  tf2::Transform identity;
  identity.setIdentity();
  A result;
  convert(identity, result);
  return result;
}

}  // namespace tf2

#endif
