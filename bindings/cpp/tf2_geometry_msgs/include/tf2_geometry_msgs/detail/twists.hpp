// geometry_msgs/msg/Wrench, WrenchStamped and VelocityStamped.
#ifndef TF2_GEOMETRY_MSGS_DETAIL_TWISTS_HPP_
#define TF2_GEOMETRY_MSGS_DETAIL_TWISTS_HPP_

#include "geometry_msgs/msg/velocity_stamped.hpp"
#include "geometry_msgs/msg/wrench.hpp"
#include "geometry_msgs/msg/wrench_stamped.hpp"
#include "tf2_geometry_msgs/detail/basics.hpp"

namespace tf2
{

/// Sets the force, and the torque about the origin of the new frame.
template<>
inline void doTransform(
  const geometry_msgs::msg::Wrench & t_in, geometry_msgs::msg::Wrench & t_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  const Transform made = tf2_geometry_msgs::detail::to_transform(transform.transform);
  const Vector3 force = made.getBasis() * tf2_geometry_msgs::detail::to_vector(t_in.force);
  const Vector3 torque = made.getBasis() * tf2_geometry_msgs::detail::to_vector(t_in.torque);
  tf2_geometry_msgs::detail::set_xyz(t_out.force, force);
  tf2_geometry_msgs::detail::set_xyz(t_out.torque, torque + made.getOrigin().cross(force));
}

TF2_GEOMETRY_MSGS_DEFINE_HEADER_FUNCTIONS(geometry_msgs::msg::WrenchStamped)
TF2_GEOMETRY_MSGS_DEFINE_COPIES(geometry_msgs::msg::WrenchStamped)

template<>
inline void doTransform(
  const geometry_msgs::msg::WrenchStamped & t_in, geometry_msgs::msg::WrenchStamped & t_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  doTransform(t_in.wrench, t_out.wrench, transform);
  tf2_geometry_msgs::detail::set_header(t_out.header, transform);
}

/// Sets the velocity at the origin of the new frame, which moves with the body.
template<>
inline void doTransform(
  const geometry_msgs::msg::VelocityStamped & t_in, geometry_msgs::msg::VelocityStamped & t_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  const Transform made = tf2_geometry_msgs::detail::to_transform(transform.transform);
  const Vector3 angular = made.getBasis() * tf2_geometry_msgs::detail::to_vector(t_in.velocity.angular);
  const Vector3 linear = made.getBasis() * tf2_geometry_msgs::detail::to_vector(t_in.velocity.linear);
  geometry_msgs::msg::VelocityStamped transformed = t_in;
  tf2_geometry_msgs::detail::set_xyz(transformed.velocity.angular, angular);
  tf2_geometry_msgs::detail::set_xyz(transformed.velocity.linear, linear + made.getOrigin().cross(angular));
  tf2_geometry_msgs::detail::set_header(transformed.header, transform);
  t_out = transformed;
}

}  // namespace tf2

#endif  // TF2_GEOMETRY_MSGS_DETAIL_TWISTS_HPP_
