// geometry_msgs/msg/Quaternion and QuaternionStamped.
#ifndef TF2_GEOMETRY_MSGS_DETAIL_QUATERNIONS_HPP_
#define TF2_GEOMETRY_MSGS_DETAIL_QUATERNIONS_HPP_

#include "geometry_msgs/msg/quaternion.hpp"
#include "geometry_msgs/msg/quaternion_stamped.hpp"
#include "tf2_geometry_msgs/detail/basics.hpp"

namespace tf2
{

inline geometry_msgs::msg::Quaternion toMsg(const Quaternion & in)
{
  return tf2_geometry_msgs::detail::to_message(in);
}

inline void fromMsg(const geometry_msgs::msg::Quaternion & in, Quaternion & out)
{
  out = tf2_geometry_msgs::detail::to_quaternion(in);
}

template<>
inline void doTransform(
  const geometry_msgs::msg::Quaternion & t_in, geometry_msgs::msg::Quaternion & t_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  tf2_geometry_msgs::detail::transform_orientation(t_in, t_out, transform.transform);
}

TF2_GEOMETRY_MSGS_DEFINE_HEADER_FUNCTIONS(geometry_msgs::msg::QuaternionStamped)
TF2_GEOMETRY_MSGS_DEFINE_COPIES(geometry_msgs::msg::QuaternionStamped)

template<>
inline void doTransform(
  const geometry_msgs::msg::QuaternionStamped & t_in, geometry_msgs::msg::QuaternionStamped & t_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  tf2_geometry_msgs::detail::transform_orientation(t_in.quaternion, t_out.quaternion, transform.transform);
  tf2_geometry_msgs::detail::set_header(t_out.header, transform);
}

inline geometry_msgs::msg::QuaternionStamped toMsg(const Stamped<Quaternion> & in)
{
  geometry_msgs::msg::QuaternionStamped out;
  out.header.stamp = tf2_geometry_msgs::detail::to_time(in.stamp_);
  out.header.frame_id = in.frame_id_;
  out.quaternion = tf2_geometry_msgs::detail::to_message(in);
  return out;
}

inline void fromMsg(const geometry_msgs::msg::QuaternionStamped & in, Stamped<Quaternion> & out)
{
  out.stamp_ = tf2_geometry_msgs::detail::to_time_point(in.header.stamp);
  out.frame_id_ = in.header.frame_id;
  out.setData(tf2_geometry_msgs::detail::to_quaternion(in.quaternion));
}

}  // namespace tf2

#endif  // TF2_GEOMETRY_MSGS_DETAIL_QUATERNIONS_HPP_
