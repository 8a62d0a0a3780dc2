// Conversions between the types of KDL and the messages of geometry_msgs, and transformations of these types.
#ifndef TF2_KDL_TF2_KDL_HPP_
#define TF2_KDL_TF2_KDL_HPP_

#include <kdl/frames.hpp>

#include <chrono>
#include <cstdint>
#include <string>

#include "builtin_interfaces/msg/time.hpp"
#include "geometry_msgs/msg/point_stamped.hpp"
#include "geometry_msgs/msg/pose.hpp"
#include "geometry_msgs/msg/pose_stamped.hpp"
#include "geometry_msgs/msg/quaternion.hpp"
#include "geometry_msgs/msg/transform_stamped.hpp"
#include "geometry_msgs/msg/twist_stamped.hpp"
#include "geometry_msgs/msg/wrench_stamped.hpp"
#include "std_msgs/msg/header.hpp"
#include "tf2/convert.h"
#include "tf2/time.h"
#include "tf2/transform_datatypes.h"

// Programs that include this header use tf2_ros::toMsg and tf2_ros::fromMsg of times, too.
#if __has_include("tf2_ros/buffer_interface.h")
#include "tf2_ros/buffer_interface.h"
#endif

namespace tf2_kdl::detail
{

inline tf2::TimePoint to_time_point(const builtin_interfaces::msg::Time & time)
{
  return tf2::TimePoint(std::chrono::seconds(time.sec) + std::chrono::nanoseconds(time.nanosec));
}

template<typename T>
void set_header(std_msgs::msg::Header & header, const tf2::Stamped<T> & data)
{
  // Rounds towards the past, so that the nanoseconds are not negative.
  const auto seconds = std::chrono::floor<std::chrono::seconds>(data.stamp_);
  header.stamp.sec = static_cast<int32_t>(seconds.time_since_epoch().count());
  header.stamp.nanosec = static_cast<uint32_t>((data.stamp_ - seconds).count());
  header.frame_id = data.frame_id_;
}

/// Sets data with the time and the frame of a header.
template<typename T>
void set(tf2::Stamped<T> & data, const T & value, const std_msgs::msg::Header & header)
{
  data = tf2::Stamped<T>(value, to_time_point(header.stamp), header.frame_id);
}

/// Returns the vector of a message with x, y and z.
template<typename Message>
KDL::Vector to_vector(const Message & message) {return KDL::Vector(message.x, message.y, message.z);}

/// Sets x, y and z of a message.
template<typename Message>
void set_xyz(Message & message, const KDL::Vector & vector)
{
  message.x = vector.x();
  message.y = vector.y();
  message.z = vector.z();
}

inline KDL::Rotation to_rotation(const geometry_msgs::msg::Quaternion & message)
{
  return KDL::Rotation::Quaternion(message.x, message.y, message.z, message.w);
}

inline void set_rotation(geometry_msgs::msg::Quaternion & message, const KDL::Rotation & rotation)
{
  rotation.GetQuaternion(message.x, message.y, message.z, message.w);
}

}  // namespace tf2_kdl::detail

namespace tf2
{

inline KDL::Frame transformToKDL(const geometry_msgs::msg::TransformStamped & t)
{
  return KDL::Frame(
    tf2_kdl::detail::to_rotation(t.transform.rotation), tf2_kdl::detail::to_vector(t.transform.translation));
}

/// Time and frames of the message are not set.
inline geometry_msgs::msg::TransformStamped kdlToTransform(const KDL::Frame & k)
{
  geometry_msgs::msg::TransformStamped t;
  tf2_kdl::detail::set_xyz(t.transform.translation, k.p);
  tf2_kdl::detail::set_rotation(t.transform.rotation, k.M);
  return t;
}

/// Transforms a point.
template<>
inline void doTransform(
  const tf2::Stamped<KDL::Vector> & t_in, tf2::Stamped<KDL::Vector> & t_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  const KDL::Vector transformed = transformToKDL(transform) * static_cast<const KDL::Vector &>(t_in);
  tf2_kdl::detail::set(t_out, transformed, transform.header);
}

inline geometry_msgs::msg::PointStamped toMsg(const tf2::Stamped<KDL::Vector> & in)
{
  geometry_msgs::msg::PointStamped msg;
  tf2_kdl::detail::set_header(msg.header, in);
  tf2_kdl::detail::set_xyz(msg.point, in);
  return msg;
}

inline void fromMsg(const geometry_msgs::msg::PointStamped & msg, tf2::Stamped<KDL::Vector> & out)
{
  tf2_kdl::detail::set(out, tf2_kdl::detail::to_vector(msg.point), msg.header);
}

/// Sets the twist at the origin of the new frame.
template<>
inline void doTransform(
  const tf2::Stamped<KDL::Twist> & t_in, tf2::Stamped<KDL::Twist> & t_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  const KDL::Twist transformed = transformToKDL(transform) * static_cast<const KDL::Twist &>(t_in);
  tf2_kdl::detail::set(t_out, transformed, transform.header);
}

inline geometry_msgs::msg::TwistStamped toMsg(const tf2::Stamped<KDL::Twist> & in)
{
  geometry_msgs::msg::TwistStamped msg;
  tf2_kdl::detail::set_header(msg.header, in);
  tf2_kdl::detail::set_xyz(msg.twist.linear, in.vel);
  tf2_kdl::detail::set_xyz(msg.twist.angular, in.rot);
  return msg;
}

inline void fromMsg(const geometry_msgs::msg::TwistStamped & msg, tf2::Stamped<KDL::Twist> & out)
{
  const KDL::Twist twist(
    tf2_kdl::detail::to_vector(msg.twist.linear), tf2_kdl::detail::to_vector(msg.twist.angular));
  tf2_kdl::detail::set(out, twist, msg.header);
}

/// Sets the wrench at the origin of the new frame.
template<>
inline void doTransform(
  const tf2::Stamped<KDL::Wrench> & t_in, tf2::Stamped<KDL::Wrench> & t_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  const KDL::Wrench transformed = transformToKDL(transform) * static_cast<const KDL::Wrench &>(t_in);
  tf2_kdl::detail::set(t_out, transformed, transform.header);
}

inline geometry_msgs::msg::WrenchStamped toMsg(const tf2::Stamped<KDL::Wrench> & in)
{
  geometry_msgs::msg::WrenchStamped msg;
  tf2_kdl::detail::set_header(msg.header, in);
  tf2_kdl::detail::set_xyz(msg.wrench.force, in.force);
  tf2_kdl::detail::set_xyz(msg.wrench.torque, in.torque);
  return msg;
}

inline void fromMsg(const geometry_msgs::msg::WrenchStamped & msg, tf2::Stamped<KDL::Wrench> & out)
{
  const KDL::Wrench wrench(
    tf2_kdl::detail::to_vector(msg.wrench.force), tf2_kdl::detail::to_vector(msg.wrench.torque));
  tf2_kdl::detail::set(out, wrench, msg.header);
}

template<>
inline void doTransform(
  const tf2::Stamped<KDL::Frame> & t_in, tf2::Stamped<KDL::Frame> & t_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  const KDL::Frame transformed = transformToKDL(transform) * static_cast<const KDL::Frame &>(t_in);
  tf2_kdl::detail::set(t_out, transformed, transform.header);
}

inline geometry_msgs::msg::Pose toMsg(const KDL::Frame & in)
{
  geometry_msgs::msg::Pose msg;
  tf2_kdl::detail::set_xyz(msg.position, in.p);
  tf2_kdl::detail::set_rotation(msg.orientation, in.M);
  return msg;
}

inline void fromMsg(const geometry_msgs::msg::Pose & msg, KDL::Frame & out)
{
  out = KDL::Frame(tf2_kdl::detail::to_rotation(msg.orientation), tf2_kdl::detail::to_vector(msg.position));
}

inline geometry_msgs::msg::PoseStamped toMsg(const tf2::Stamped<KDL::Frame> & in)
{
  geometry_msgs::msg::PoseStamped msg;
  tf2_kdl::detail::set_header(msg.header, in);
  msg.pose = toMsg(static_cast<const KDL::Frame &>(in));
  return msg;
}

inline void fromMsg(const geometry_msgs::msg::PoseStamped & msg, tf2::Stamped<KDL::Frame> & out)
{
  KDL::Frame frame;
  fromMsg(msg.pose, frame);
  tf2_kdl::detail::set(out, frame, msg.header);
}

}  // namespace tf2

#endif  // TF2_KDL_TF2_KDL_HPP_
