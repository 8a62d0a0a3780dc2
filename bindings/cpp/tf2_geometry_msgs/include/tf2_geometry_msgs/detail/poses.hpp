// geometry_msgs/msg/Pose and PoseStamped.
#ifndef TF2_GEOMETRY_MSGS_DETAIL_POSES_HPP_
#define TF2_GEOMETRY_MSGS_DETAIL_POSES_HPP_

#include "geometry_msgs/msg/pose.hpp"
#include "geometry_msgs/msg/pose_stamped.hpp"
#include "tf2_geometry_msgs/detail/basics.hpp"

namespace tf2
{

TF2_GEOMETRY_MSGS_DEFINE_COPIES(geometry_msgs::msg::Pose)

/// Sets `out`: the type of the message can't be deduced from the transform.
inline void toMsg(const Transform & in, geometry_msgs::msg::Pose & out)
{
  tf2_geometry_msgs::detail::set_xyz(out.position, in.getOrigin());
  out.orientation = tf2_geometry_msgs::detail::to_message(in.getRotation());
}

inline void fromMsg(const geometry_msgs::msg::Pose & in, Transform & out)
{
  out = Transform(
    tf2_geometry_msgs::detail::to_quaternion(in.orientation), tf2_geometry_msgs::detail::to_vector(in.position));
}

template<>
inline void doTransform(
  const geometry_msgs::msg::Pose & t_in, geometry_msgs::msg::Pose & t_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  tf2_geometry_msgs::detail::transform_point(t_in.position, t_out.position, transform.transform);
  tf2_geometry_msgs::detail::transform_frame(t_in.orientation, t_out.orientation, transform.transform);
}

TF2_GEOMETRY_MSGS_DEFINE_HEADER_FUNCTIONS(geometry_msgs::msg::PoseStamped)
TF2_GEOMETRY_MSGS_DEFINE_COPIES(geometry_msgs::msg::PoseStamped)

template<>
inline void doTransform(
  const geometry_msgs::msg::PoseStamped & t_in, geometry_msgs::msg::PoseStamped & t_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  doTransform(t_in.pose, t_out.pose, transform);
  tf2_geometry_msgs::detail::set_header(t_out.header, transform);
}

}  // namespace tf2

#endif  // TF2_GEOMETRY_MSGS_DETAIL_POSES_HPP_
