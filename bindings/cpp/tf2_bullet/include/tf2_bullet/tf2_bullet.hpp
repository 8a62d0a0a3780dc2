// Conversions between the types of Bullet and the messages of geometry_msgs, and transformations of these types.
#ifndef TF2_BULLET_TF2_BULLET_HPP_
#define TF2_BULLET_TF2_BULLET_HPP_

#include <LinearMath/btQuaternion.h>
#include <LinearMath/btScalar.h>
#include <LinearMath/btTransform.h>
#include <LinearMath/btVector3.h>

#include <chrono>
#include <cstdint>
#include <iostream>

#include "builtin_interfaces/msg/time.hpp"
#include "geometry_msgs/msg/point_stamped.hpp"
#include "geometry_msgs/msg/transform_stamped.hpp"
#include "tf2/convert.h"
#include "tf2/time.h"
#include "tf2/transform_datatypes.h"

// Programs that include this header use tf2_ros::toMsg and tf2_ros::fromMsg of times, too.
#if __has_include("tf2_ros/buffer_interface.h")
#include "tf2_ros/buffer_interface.h"
#endif

namespace tf2_bullet::detail
{

inline tf2::TimePoint to_time_point(const builtin_interfaces::msg::Time & time)
{
  return tf2::TimePoint(std::chrono::seconds(time.sec) + std::chrono::nanoseconds(time.nanosec));
}

inline builtin_interfaces::msg::Time to_time(const tf2::TimePoint & time_point)
{
  // Rounds towards the past, so that the nanoseconds are not negative.
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time_point);
  builtin_interfaces::msg::Time time;
  time.sec = static_cast<int32_t>(seconds.time_since_epoch().count());
  time.nanosec = static_cast<uint32_t>((time_point - seconds).count());
  return time;
}

/// Returns the vector of a message with x, y and z. The numbers of Bullet may be floats.
template<typename Message>
btVector3 to_vector(const Message & message)
{
  return btVector3(
    static_cast<btScalar>(message.x), static_cast<btScalar>(message.y), static_cast<btScalar>(message.z));
}

}  // namespace tf2_bullet::detail

namespace tf2
{

inline btTransform transformToBullet(const geometry_msgs::msg::TransformStamped & t)
{
  const auto & rotation = t.transform.rotation;
  const btQuaternion quaternion(
    static_cast<btScalar>(rotation.x), static_cast<btScalar>(rotation.y), static_cast<btScalar>(rotation.z),
    static_cast<btScalar>(rotation.w));
  return btTransform(quaternion, tf2_bullet::detail::to_vector(t.transform.translation));
}

/// Transforms a point.
template<>
inline void doTransform(
  const tf2::Stamped<btVector3> & t_in, tf2::Stamped<btVector3> & t_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  const btVector3 transformed = transformToBullet(transform) * static_cast<const btVector3 &>(t_in);
  t_out = tf2::Stamped<btVector3>(
    transformed, tf2_bullet::detail::to_time_point(transform.header.stamp), transform.header.frame_id);
}

inline geometry_msgs::msg::PointStamped toMsg(const tf2::Stamped<btVector3> & in)
{
  geometry_msgs::msg::PointStamped msg;
  msg.header.stamp = tf2_bullet::detail::to_time(in.stamp_);
  msg.header.frame_id = in.frame_id_;
  msg.point.x = in.getX();
  msg.point.y = in.getY();
  msg.point.z = in.getZ();
  return msg;
}

inline void fromMsg(const geometry_msgs::msg::PointStamped & msg, tf2::Stamped<btVector3> & out)
{
  out.stamp_ = tf2_bullet::detail::to_time_point(msg.header.stamp);
  out.frame_id_ = msg.header.frame_id;
  out.setData(tf2_bullet::detail::to_vector(msg.point));
}

template<>
inline void doTransform(
  const tf2::Stamped<btTransform> & t_in, tf2::Stamped<btTransform> & t_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  const btTransform transformed = transformToBullet(transform) * static_cast<const btTransform &>(t_in);
  t_out = tf2::Stamped<btTransform>(
    transformed, tf2_bullet::detail::to_time_point(transform.header.stamp), transform.header.frame_id);
}

}  // namespace tf2

#endif  // TF2_BULLET_TF2_BULLET_HPP_
