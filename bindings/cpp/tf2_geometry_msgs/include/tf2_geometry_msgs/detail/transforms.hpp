// geometry_msgs/msg/Transform and TransformStamped.
#ifndef TF2_GEOMETRY_MSGS_DETAIL_TRANSFORMS_HPP_
#define TF2_GEOMETRY_MSGS_DETAIL_TRANSFORMS_HPP_

#include "geometry_msgs/msg/transform.hpp"
#include "geometry_msgs/msg/transform_stamped.hpp"
#include "tf2_geometry_msgs/detail/basics.hpp"

namespace tf2
{

inline void toMsg(const Transform & in, geometry_msgs::msg::Transform & out)
{
  tf2_geometry_msgs::detail::set_xyz(out.translation, in.getOrigin());
  out.rotation = tf2_geometry_msgs::detail::to_message(in.getRotation());
}

inline geometry_msgs::msg::Transform toMsg(const Transform & in)
{
  geometry_msgs::msg::Transform out;
  toMsg(in, out);
  return out;
}

inline void fromMsg(const geometry_msgs::msg::Transform & in, Transform & out)
{
  out = tf2_geometry_msgs::detail::to_transform(in);
}

/// Sets `t_out` to the transform `t_in`, then `transform`.
template<>
inline void doTransform(
  const geometry_msgs::msg::Transform & t_in, geometry_msgs::msg::Transform & t_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  tf2_geometry_msgs::detail::transform_point(t_in.translation, t_out.translation, transform.transform);
  tf2_geometry_msgs::detail::transform_frame(t_in.rotation, t_out.rotation, transform.transform);
}

TF2_GEOMETRY_MSGS_DEFINE_HEADER_FUNCTIONS(geometry_msgs::msg::TransformStamped)
TF2_GEOMETRY_MSGS_DEFINE_COPIES(geometry_msgs::msg::TransformStamped)

/// As doTransform of Transform; the child frame is that of `t_in`.
template<>
inline void doTransform(
  const geometry_msgs::msg::TransformStamped & t_in, geometry_msgs::msg::TransformStamped & t_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  // `transform` and `t_out` may be the same object.
  geometry_msgs::msg::TransformStamped transformed;
  doTransform(t_in.transform, transformed.transform, transform);
  tf2_geometry_msgs::detail::set_header(transformed.header, transform);
  transformed.child_frame_id = t_in.child_frame_id;
  t_out = transformed;
}

/// The child frame of the message is empty: the data has none.
inline geometry_msgs::msg::TransformStamped toMsg(const Stamped<Transform> & in)
{
  geometry_msgs::msg::TransformStamped out;
  out.header.stamp = tf2_geometry_msgs::detail::to_time(in.stamp_);
  out.header.frame_id = in.frame_id_;
  toMsg(static_cast<const Transform &>(in), out.transform);
  return out;
}

inline void fromMsg(const geometry_msgs::msg::TransformStamped & msg, Stamped<Transform> & out)
{
  out.stamp_ = tf2_geometry_msgs::detail::to_time_point(msg.header.stamp);
  out.frame_id_ = msg.header.frame_id;
  out.setData(tf2_geometry_msgs::detail::to_transform(msg.transform));
}

}  // namespace tf2

#endif  // TF2_GEOMETRY_MSGS_DETAIL_TRANSFORMS_HPP_
