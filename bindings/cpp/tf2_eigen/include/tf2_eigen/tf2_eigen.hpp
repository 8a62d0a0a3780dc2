// Conversions between the types of Eigen and the messages of geometry_msgs, and transformations of these types.
#ifndef TF2_EIGEN_TF2_EIGEN_HPP_
#define TF2_EIGEN_TF2_EIGEN_HPP_

#include <Eigen/Geometry>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "builtin_interfaces/msg/time.hpp"
#include "geometry_msgs/msg/point.hpp"
#include "geometry_msgs/msg/point_stamped.hpp"
#include "geometry_msgs/msg/pose.hpp"
#include "geometry_msgs/msg/pose_stamped.hpp"
#include "geometry_msgs/msg/quaternion.hpp"
#include "geometry_msgs/msg/quaternion_stamped.hpp"
#include "geometry_msgs/msg/transform.hpp"
#include "geometry_msgs/msg/transform_stamped.hpp"
#include "geometry_msgs/msg/twist.hpp"
#include "geometry_msgs/msg/vector3.hpp"
#include "std_msgs/msg/header.hpp"
#include "tf2/convert.h"
#include "tf2/time.h"
#include "tf2/transform_datatypes.h"

// Programs that include this header use the buffer of tf2_ros, too.
#if __has_include("tf2_ros/buffer.h")
#include "tf2_ros/buffer.h"
#endif

namespace tf2_eigen::detail
{

inline tf2::TimePoint to_time_point(const builtin_interfaces::msg::Time & time)
{
  return tf2::TimePoint(std::chrono::seconds(time.sec) + std::chrono::nanoseconds(time.nanosec));
}

inline void set_header(std_msgs::msg::Header & header, const tf2::TimePoint & time_point, const std::string & frame_id)
{
  // Rounds towards the past, so that the nanoseconds are not negative.
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time_point);
  header.stamp.sec = static_cast<int32_t>(seconds.time_since_epoch().count());
  header.stamp.nanosec = static_cast<uint32_t>((time_point - seconds).count());
  header.frame_id = frame_id;
}

/// Returns the vector of a message with x, y and z.
template<typename Message>
Eigen::Vector3d to_vector(const Message & message) {return Eigen::Vector3d(message.x, message.y, message.z);}

/// Sets x, y and z of a message.
template<typename Message, typename Vector>
void set_xyz(Message & message, const Vector & vector)
{
  message.x = vector.x();
  message.y = vector.y();
  message.z = vector.z();
}

inline Eigen::Quaterniond to_quaternion(const geometry_msgs::msg::Quaternion & message)
{
  return Eigen::Quaterniond(message.w, message.x, message.y, message.z);
}

inline geometry_msgs::msg::Quaternion to_message(const Eigen::Quaterniond & quaternion)
{
  geometry_msgs::msg::Quaternion message;
  message.w = quaternion.w();
  set_xyz(message, quaternion);
  return message;
}

/// Returns the orientation of a transform with w >= 0.
template<typename Transform>
geometry_msgs::msg::Quaternion orientation_of(const Transform & transform)
{
  Eigen::Quaterniond quaternion(transform.linear());
  if (quaternion.w() < 0) {
    quaternion.coeffs() *= -1;
  }
  return to_message(quaternion);
}

template<typename Transform>
geometry_msgs::msg::Pose to_pose(const Transform & transform)
{
  geometry_msgs::msg::Pose pose;
  set_xyz(pose.position, transform.translation());
  pose.orientation = orientation_of(transform);
  return pose;
}

template<typename Transform>
Transform from_pose(const geometry_msgs::msg::Pose & pose)
{
  return Transform(
    Eigen::Translation3d(to_vector(pose.position)) * to_quaternion(pose.orientation));
}

template<typename Transform>
geometry_msgs::msg::TransformStamped to_transform(const Transform & transform)
{
  geometry_msgs::msg::TransformStamped message;
  set_xyz(message.transform.translation, transform.translation());
  message.transform.rotation = to_message(Eigen::Quaterniond(transform.linear()));
  return message;
}

inline Eigen::Isometry3d to_eigen(const geometry_msgs::msg::Transform & transform)
{
  return Eigen::Isometry3d(
    Eigen::Translation3d(to_vector(transform.translation)) * to_quaternion(transform.rotation));
}

/// Returns data with the time and the frame of a transform.
template<typename T>
tf2::Stamped<T> stamp(const T & data, const geometry_msgs::msg::TransformStamped & transform)
{
  return tf2::Stamped<T>(data, to_time_point(transform.header.stamp), transform.header.frame_id);
}

template<typename Transform>
geometry_msgs::msg::PoseStamped to_pose_stamped(const tf2::Stamped<Transform> & transform)
{
  geometry_msgs::msg::PoseStamped message;
  set_header(message.header, transform.stamp_, transform.frame_id_);
  message.pose = to_pose(static_cast<const Transform &>(transform));
  return message;
}

template<typename Transform>
void from_pose_stamped(const geometry_msgs::msg::PoseStamped & message, tf2::Stamped<Transform> & transform)
{
  transform.stamp_ = to_time_point(message.header.stamp);
  transform.frame_id_ = message.header.frame_id;
  transform.setData(from_pose<Transform>(message.pose));
}

}  // namespace tf2_eigen::detail

namespace tf2
{

inline Eigen::Isometry3d transformToEigen(const geometry_msgs::msg::Transform & t)
{
  return tf2_eigen::detail::to_eigen(t);
}

inline Eigen::Isometry3d transformToEigen(const geometry_msgs::msg::TransformStamped & t)
{
  return tf2_eigen::detail::to_eigen(t.transform);
}

/// Time and frames of the message are not set.
inline geometry_msgs::msg::TransformStamped eigenToTransform(const Eigen::Affine3d & T)
{
  return tf2_eigen::detail::to_transform(T);
}

/// Time and frames of the message are not set.
inline geometry_msgs::msg::TransformStamped eigenToTransform(const Eigen::Isometry3d & T)
{
  return tf2_eigen::detail::to_transform(T);
}

/// Transforms a point.
template<>
inline void doTransform(
  const Eigen::Vector3d & t_in, Eigen::Vector3d & t_out, const geometry_msgs::msg::TransformStamped & transform)
{
  t_out = transformToEigen(transform) * t_in;
}

/// Transforms a wrench, which is a force and a torque, or a twist, which is an angular and a linear velocity: 6 numbers. It also
/// transforms a point of 3 numbers, or of 4 homogeneous coordinates.
///
/// Throws std::invalid_argument for other sizes.
template<>
inline void doTransform(
  const Eigen::VectorXd & t_in, Eigen::VectorXd & t_out, const geometry_msgs::msg::TransformStamped & transform)
{
  const Eigen::Isometry3d made = transformToEigen(transform);
  if (t_in.size() == 6) {
    const Eigen::Vector3d first = made.linear() * t_in.head<3>();
    const Eigen::Vector3d second = made.linear() * t_in.tail<3>() + made.translation().cross(first);
    t_out.resize(6);
    t_out << first, second;
  } else if (t_in.size() == 4) {
    t_out = (made.matrix() * t_in).eval();
  } else if (t_in.size() == 3) {
    const Eigen::Vector3d point = t_in;
    t_out = made * point;
  } else {
    throw std::invalid_argument("expected a vector of 6, 4 or 3 numbers, found " + std::to_string(t_in.size()));
  }
}

inline geometry_msgs::msg::Point toMsg(const Eigen::Vector3d & in)
{
  geometry_msgs::msg::Point out;
  tf2_eigen::detail::set_xyz(out, in);
  return out;
}

inline void fromMsg(const geometry_msgs::msg::Point & msg, Eigen::Vector3d & out)
{
  out = tf2_eigen::detail::to_vector(msg);
}

/// Sets `out` and returns it: a vector without this argument converts to a point.
inline geometry_msgs::msg::Vector3 & toMsg(const Eigen::Vector3d & in, geometry_msgs::msg::Vector3 & out)
{
  tf2_eigen::detail::set_xyz(out, in);
  return out;
}

/// Returns a vector; toMsg returns a point.
inline geometry_msgs::msg::Vector3 toMsg2(const Eigen::Vector3d & in)
{
  geometry_msgs::msg::Vector3 out;
  tf2_eigen::detail::set_xyz(out, in);
  return out;
}

inline void fromMsg(const geometry_msgs::msg::Vector3 & msg, Eigen::Vector3d & out)
{
  out = tf2_eigen::detail::to_vector(msg);
}

template<>
inline void doTransform(
  const tf2::Stamped<Eigen::Vector3d> & t_in, tf2::Stamped<Eigen::Vector3d> & t_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  const Eigen::Vector3d point = transformToEigen(transform) * static_cast<const Eigen::Vector3d &>(t_in);
  t_out = tf2_eigen::detail::stamp(point, transform);
}

inline geometry_msgs::msg::PointStamped toMsg(const tf2::Stamped<Eigen::Vector3d> & in)
{
  geometry_msgs::msg::PointStamped out;
  tf2_eigen::detail::set_header(out.header, in.stamp_, in.frame_id_);
  tf2_eigen::detail::set_xyz(out.point, in);
  return out;
}

inline void fromMsg(const geometry_msgs::msg::PointStamped & msg, tf2::Stamped<Eigen::Vector3d> & out)
{
  out.stamp_ = tf2_eigen::detail::to_time_point(msg.header.stamp);
  out.frame_id_ = msg.header.frame_id;
  out.setData(tf2_eigen::detail::to_vector(msg.point));
}

template<>
inline void doTransform(
  const Eigen::Affine3d & t_in, Eigen::Affine3d & t_out, const geometry_msgs::msg::TransformStamped & transform)
{
  t_out = Eigen::Affine3d(transformToEigen(transform) * t_in);
}

template<>
inline void doTransform(
  const Eigen::Isometry3d & t_in, Eigen::Isometry3d & t_out, const geometry_msgs::msg::TransformStamped & transform)
{
  t_out = transformToEigen(transform) * t_in;
}

inline geometry_msgs::msg::Quaternion toMsg(const Eigen::Quaterniond & in) {return tf2_eigen::detail::to_message(in);}

inline void fromMsg(const geometry_msgs::msg::Quaternion & msg, Eigen::Quaterniond & out)
{
  out = tf2_eigen::detail::to_quaternion(msg);
}

/// Rotates an orientation.
template<>
inline void doTransform(
  const Eigen::Quaterniond & t_in, Eigen::Quaterniond & t_out, const geometry_msgs::msg::TransformStamped & transform)
{
  t_out = tf2_eigen::detail::to_quaternion(transform.transform.rotation) * t_in;
}

inline geometry_msgs::msg::QuaternionStamped toMsg(const Stamped<Eigen::Quaterniond> & in)
{
  geometry_msgs::msg::QuaternionStamped out;
  tf2_eigen::detail::set_header(out.header, in.stamp_, in.frame_id_);
  out.quaternion = tf2_eigen::detail::to_message(in);
  return out;
}

inline void fromMsg(const geometry_msgs::msg::QuaternionStamped & msg, Stamped<Eigen::Quaterniond> & out)
{
  out.stamp_ = tf2_eigen::detail::to_time_point(msg.header.stamp);
  out.frame_id_ = msg.header.frame_id;
  out.setData(tf2_eigen::detail::to_quaternion(msg.quaternion));
}

template<>
inline void doTransform(
  const tf2::Stamped<Eigen::Quaterniond> & t_in, tf2::Stamped<Eigen::Quaterniond> & t_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  Eigen::Quaterniond rotated;
  doTransform(static_cast<const Eigen::Quaterniond &>(t_in), rotated, transform);
  t_out = tf2_eigen::detail::stamp(rotated, transform);
}

inline geometry_msgs::msg::Pose toMsg(const Eigen::Affine3d & in) {return tf2_eigen::detail::to_pose(in);}

inline geometry_msgs::msg::Pose toMsg(const Eigen::Isometry3d & in) {return tf2_eigen::detail::to_pose(in);}

inline void fromMsg(const geometry_msgs::msg::Pose & msg, Eigen::Affine3d & out)
{
  out = tf2_eigen::detail::from_pose<Eigen::Affine3d>(msg);
}

inline void fromMsg(const geometry_msgs::msg::Pose & msg, Eigen::Isometry3d & out)
{
  out = tf2_eigen::detail::from_pose<Eigen::Isometry3d>(msg);
}

/// The vector has the linear, then the angular velocity.
inline geometry_msgs::msg::Twist toMsg(const Eigen::Matrix<double, 6, 1> & in)
{
  geometry_msgs::msg::Twist msg;
  tf2_eigen::detail::set_xyz(msg.linear, in.head<3>());
  tf2_eigen::detail::set_xyz(msg.angular, in.tail<3>());
  return msg;
}

inline void fromMsg(const geometry_msgs::msg::Twist & msg, Eigen::Matrix<double, 6, 1> & out)
{
  out << tf2_eigen::detail::to_vector(msg.linear), tf2_eigen::detail::to_vector(msg.angular);
}

template<>
inline void doTransform(
  const tf2::Stamped<Eigen::Affine3d> & t_in, tf2::Stamped<Eigen::Affine3d> & t_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  Eigen::Affine3d transformed;
  doTransform(static_cast<const Eigen::Affine3d &>(t_in), transformed, transform);
  t_out = tf2_eigen::detail::stamp(transformed, transform);
}

template<>
inline void doTransform(
  const tf2::Stamped<Eigen::Isometry3d> & t_in, tf2::Stamped<Eigen::Isometry3d> & t_out,
  const geometry_msgs::msg::TransformStamped & transform)
{
  Eigen::Isometry3d transformed;
  doTransform(static_cast<const Eigen::Isometry3d &>(t_in), transformed, transform);
  t_out = tf2_eigen::detail::stamp(transformed, transform);
}

inline geometry_msgs::msg::PoseStamped toMsg(const tf2::Stamped<Eigen::Affine3d> & in)
{
  return tf2_eigen::detail::to_pose_stamped(in);
}

inline geometry_msgs::msg::PoseStamped toMsg(const tf2::Stamped<Eigen::Isometry3d> & in)
{
  return tf2_eigen::detail::to_pose_stamped(in);
}

inline void fromMsg(const geometry_msgs::msg::PoseStamped & msg, tf2::Stamped<Eigen::Affine3d> & out)
{
  tf2_eigen::detail::from_pose_stamped(msg, out);
}

inline void fromMsg(const geometry_msgs::msg::PoseStamped & msg, tf2::Stamped<Eigen::Isometry3d> & out)
{
  tf2_eigen::detail::from_pose_stamped(msg, out);
}

}  // namespace tf2

// The same functions where tf2::convert finds them: it looks into the namespace of the types of Eigen.
namespace Eigen
{

inline geometry_msgs::msg::Pose toMsg(const Eigen::Affine3d & in) {return tf2::toMsg(in);}
inline geometry_msgs::msg::Pose toMsg(const Eigen::Isometry3d & in) {return tf2::toMsg(in);}
inline geometry_msgs::msg::Point toMsg(const Eigen::Vector3d & in) {return tf2::toMsg(in);}
inline geometry_msgs::msg::Quaternion toMsg(const Eigen::Quaterniond & in) {return tf2::toMsg(in);}
inline geometry_msgs::msg::Twist toMsg(const Eigen::Matrix<double, 6, 1> & in) {return tf2::toMsg(in);}

inline void fromMsg(const geometry_msgs::msg::Point & msg, Eigen::Vector3d & out) {tf2::fromMsg(msg, out);}
inline void fromMsg(const geometry_msgs::msg::Vector3 & msg, Eigen::Vector3d & out) {tf2::fromMsg(msg, out);}
inline void fromMsg(const geometry_msgs::msg::Pose & msg, Eigen::Affine3d & out) {tf2::fromMsg(msg, out);}
inline void fromMsg(const geometry_msgs::msg::Pose & msg, Eigen::Isometry3d & out) {tf2::fromMsg(msg, out);}
inline void fromMsg(const geometry_msgs::msg::Quaternion & msg, Eigen::Quaterniond & out) {tf2::fromMsg(msg, out);}
inline void fromMsg(const geometry_msgs::msg::Twist & msg, Eigen::Matrix<double, 6, 1> & out)
{
  tf2::fromMsg(msg, out);
}

}  // namespace Eigen

#endif  // TF2_EIGEN_TF2_EIGEN_HPP_
