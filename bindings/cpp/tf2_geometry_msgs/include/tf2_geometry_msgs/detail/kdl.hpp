// The transform of a message as a frame of KDL, if KDL is installed.
#ifndef TF2_GEOMETRY_MSGS_DETAIL_KDL_HPP_
#define TF2_GEOMETRY_MSGS_DETAIL_KDL_HPP_

#if __has_include(<kdl/frames.hpp>)

#include <kdl/frames.hpp>

#include "geometry_msgs/msg/transform_stamped.hpp"

namespace tf2
{

inline KDL::Frame gmTransformToKDL(const geometry_msgs::msg::TransformStamped & t)
{
  const auto & rotation = t.transform.rotation;
  const auto & translation = t.transform.translation;
  return KDL::Frame(
    KDL::Rotation::Quaternion(rotation.x, rotation.y, rotation.z, rotation.w),
    KDL::Vector(translation.x, translation.y, translation.z));
}

}  // namespace tf2

#endif

#endif  // TF2_GEOMETRY_MSGS_DETAIL_KDL_HPP_
