// Angles of quaternions of any type.
#ifndef TF2_IMPL_UTILS_HPP_
#define TF2_IMPL_UTILS_HPP_

#include <cmath>

#include "geometry_msgs/msg/quaternion.hpp"
#include "geometry_msgs/msg/quaternion_stamped.hpp"
#include "tf2/LinearMath/Quaternion.hpp"
#include "tf2/convert.hpp"
#include "tf2/transform_datatypes.hpp"

namespace tf2
{
namespace impl
{

inline tf2::Quaternion toQuaternion(const tf2::Quaternion & q) {return q;}

inline tf2::Quaternion toQuaternion(const geometry_msgs::msg::Quaternion & q)
{
  return tf2::Quaternion(q.x, q.y, q.z, q.w);
}

inline tf2::Quaternion toQuaternion(const geometry_msgs::msg::QuaternionStamped & q)
{
  return toQuaternion(q.quaternion);
}

template<typename T>
tf2::Quaternion toQuaternion(const tf2::Stamped<T> & t) {return toQuaternion(static_cast<const T &>(t));}

/// Of any type with a conversion to geometry_msgs::msg::Quaternion.
template<typename T>
tf2::Quaternion toQuaternion(const T & t)
{
  geometry_msgs::msg::Quaternion q;
  convert(t, q);
  return toQuaternion(q);
}

/// Gets the angles of Matrix3x3::setEulerYPR, in radians; the quaternion may have any length but 0.
///
/// Where X points straight up or down only the difference or sum of yaw and roll is known: then the roll is 0.
inline void getEulerYPR(const tf2::Quaternion & q, double & yaw, double & pitch, double & roll)
{
  const double xx = q.x() * q.x(), yy = q.y() * q.y(), zz = q.z() * q.z(), ww = q.w() * q.w();
  // Elements of the rotation matrix, times the square of the length.
  const double sine = 2.0 * (q.w() * q.y() - q.x() * q.z());
  const double cos_yaw = ww + xx - yy - zz, sin_yaw = 2.0 * (q.x() * q.y() + q.w() * q.z());
  const double cos_roll = ww - xx - yy + zz, sin_roll = 2.0 * (q.y() * q.z() + q.w() * q.x());
  // Closer than this to straight up or down, yaw and roll would be mostly rounding errors.
  constexpr double limit = 1.0 - 1e-12;
  if (std::fabs(sine) >= limit * (xx + yy + zz + ww)) {
    pitch = std::copysign(TF2SIMD_HALF_PI, sine);
    roll = 0.0;
    yaw = tf2NormalizeAngle(2.0 * std::atan2(q.z(), q.w()));
    return;
  }
  pitch = std::atan2(sine, std::sqrt(cos_yaw * cos_yaw + sin_yaw * sin_yaw));
  roll = std::atan2(sin_roll, cos_roll);
  yaw = std::atan2(sin_yaw, cos_yaw);
}

/// Gets the yaw of getEulerYPR.
inline double getYaw(const tf2::Quaternion & q)
{
  double yaw = 0.0;
  double pitch = 0.0;
  double roll = 0.0;
  getEulerYPR(q, yaw, pitch, roll);
  return yaw;
}

}  // namespace impl
}  // namespace tf2

#endif
