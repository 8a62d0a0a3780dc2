// geometry_msgs/msg/Vector3 and Vector3Stamped.
#ifndef TF2_GEOMETRY_MSGS_DETAIL_VECTORS_HPP_
#define TF2_GEOMETRY_MSGS_DETAIL_VECTORS_HPP_

#include "geometry_msgs/msg/vector3.hpp"
#include "geometry_msgs/msg/vector3_stamped.hpp"
#include "tf2_geometry_msgs/detail/basics.hpp"

namespace tf2
{

inline geometry_msgs::msg::Vector3 toMsg(const Vector3 & in)
{
  geometry_msgs::msg::Vector3 out;
  tf2_geometry_msgs::detail::set_xyz(out, in);
  return out;
}

inline void fromMsg(const geometry_msgs::msg::Vector3 & in, Vector3 & out)
{
  out = tf2_geometry_msgs::detail::to_vector(in);
}

/// Rotates a vector.
template<>
inline void doTransform(
  const geometry_msgs::msg::Vector3 & t_in, geometry_msgs::msg::Vector3 & t_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  tf2_geometry_msgs::detail::transform_direction(t_in, t_out, transform.transform);
}

TF2_GEOMETRY_MSGS_DEFINE_HEADER_FUNCTIONS(geometry_msgs::msg::Vector3Stamped)
TF2_GEOMETRY_MSGS_DEFINE_COPIES(geometry_msgs::msg::Vector3Stamped)

template<>
inline void doTransform(
  const geometry_msgs::msg::Vector3Stamped & t_in, geometry_msgs::msg::Vector3Stamped & t_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  tf2_geometry_msgs::detail::transform_direction(t_in.vector, t_out.vector, transform.transform);
  tf2_geometry_msgs::detail::set_header(t_out.header, transform);
}

}  // namespace tf2

#endif  // TF2_GEOMETRY_MSGS_DETAIL_VECTORS_HPP_
