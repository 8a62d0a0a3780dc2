// What the conversions of all types use: times, rotations, and the transform of a message.
#ifndef TF2_GEOMETRY_MSGS_DETAIL_BASICS_HPP_
#define TF2_GEOMETRY_MSGS_DETAIL_BASICS_HPP_

#include <chrono>
#include <cstdint>
#include <string>

#include "builtin_interfaces/msg/time.hpp"
#include "geometry_msgs/msg/quaternion.hpp"
#include "geometry_msgs/msg/transform.hpp"
#include "geometry_msgs/msg/transform_stamped.hpp"
#include "geometry_msgs/msg/vector3.hpp"
#include "std_msgs/msg/header.hpp"
#include "tf2/LinearMath/Quaternion.h"
#include "tf2/LinearMath/Transform.h"
#include "tf2/LinearMath/Vector3.h"
#include "tf2/convert.h"
#include "tf2/time.h"
#include "tf2/transform_datatypes.h"

namespace tf2_geometry_msgs::detail
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

/// Returns the vector of a message with x, y and z.
template<typename Message>
tf2::Vector3 to_vector(const Message & message) {return tf2::Vector3(message.x, message.y, message.z);}

/// Sets x, y and z of a message.
template<typename Message>
void set_xyz(Message & message, const tf2::Vector3 & vector)
{
  using Number = decltype(message.x);
  message.x = static_cast<Number>(vector.getX());
  message.y = static_cast<Number>(vector.getY());
  message.z = static_cast<Number>(vector.getZ());
}

inline tf2::Quaternion to_quaternion(const geometry_msgs::msg::Quaternion & message)
{
  return tf2::Quaternion(message.x, message.y, message.z, message.w);
}

inline geometry_msgs::msg::Quaternion to_message(const tf2::Quaternion & quaternion)
{
  geometry_msgs::msg::Quaternion message;
  message.x = quaternion.getX();
  message.y = quaternion.getY();
  message.z = quaternion.getZ();
  message.w = quaternion.getW();
  return message;
}

inline tf2::Transform to_transform(const geometry_msgs::msg::Transform & message)
{
  return tf2::Transform(to_quaternion(message.rotation), to_vector(message.translation));
}

/// Transforms a message with x, y and z as a point.
template<typename Message>
void transform_point(const Message & in, Message & out, const geometry_msgs::msg::Transform & transform)
{
  set_xyz(out, to_transform(transform) * to_vector(in));
}

/// Transforms a message with x, y and z as a direction: it is only rotated.
template<typename Message>
void transform_direction(const Message & in, Message & out, const geometry_msgs::msg::Transform & transform)
{
  set_xyz(out, to_transform(transform).getBasis() * to_vector(in));
}

/// Transforms an orientation.
inline void transform_orientation(
  const geometry_msgs::msg::Quaternion & in, geometry_msgs::msg::Quaternion & out,
  const geometry_msgs::msg::Transform & transform)
{
  out = to_message(to_quaternion(transform.rotation) * to_quaternion(in));
}

/// Returns that one of the two quaternions of a rotation which a rotation matrix gives: with a positive w, or for large angles
/// with a positive largest number.
inline tf2::Quaternion of_matrix(const tf2::Quaternion & rotation)
{
  const auto square = [](double number) {return number * number;};
  double decisive = rotation.getW();
  if (4 * square(decisive) <= rotation.length2()) {
    decisive = rotation.getX();
    for (const double number : {rotation.getY(), rotation.getZ()}) {
      decisive = square(number) > square(decisive) ? number : decisive;
    }
  }
  return decisive < 0 ? -rotation : rotation;
}

/// Transforms the orientation of a pose or transform.
inline void transform_frame(
  const geometry_msgs::msg::Quaternion & in, geometry_msgs::msg::Quaternion & out,
  const geometry_msgs::msg::Transform & transform)
{
  out = to_message(of_matrix(to_quaternion(transform.rotation) * to_quaternion(in)));
}

/// Gives the result of a transformation the time and the frame of the transform.
inline void set_header(std_msgs::msg::Header & header, const geometry_msgs::msg::TransformStamped & transform)
{
  header.stamp = transform.header.stamp;
  header.frame_id = transform.header.frame_id;
}

}  // namespace tf2_geometry_msgs::detail

/// Defines getTimestamp and getFrameId for a message with a header.
#define TF2_GEOMETRY_MSGS_DEFINE_HEADER_FUNCTIONS(Message) \
  template<> \
  inline TimePoint getTimestamp(const Message & t) \
  { \
    return tf2_geometry_msgs::detail::to_time_point(t.header.stamp); \
  } \
  template<> \
  inline std::string getFrameId(const Message & t) {return t.header.frame_id;}

/// Defines toMsg and fromMsg that copy a message, so that messages can be used as data.
#define TF2_GEOMETRY_MSGS_DEFINE_COPIES(Message) \
  inline Message toMsg(const Message & in) {return in;} \
  inline void fromMsg(const Message & msg, Message & out) {out = msg;}

#endif  // TF2_GEOMETRY_MSGS_DETAIL_BASICS_HPP_
