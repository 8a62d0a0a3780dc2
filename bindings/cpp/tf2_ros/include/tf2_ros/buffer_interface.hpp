// Looks up transforms with a timeout, and transforms data.
#ifndef TF2_ROS_BUFFER_INTERFACE_HPP_
#define TF2_ROS_BUFFER_INTERFACE_HPP_

#include <chrono>
#include <cstdint>
#include <string>

#include "builtin_interfaces/msg/duration.hpp"
#include "builtin_interfaces/msg/time.hpp"
#include "geometry_msgs/msg/transform_stamped.hpp"
#include "rclcpp/rclcpp.hpp"
#include "tf2/convert.hpp"
#include "tf2/time.hpp"
#include "tf2/transform_datatypes.hpp"
#include "tf2_ros/visibility_control.hpp"

namespace tf2_ros
{

/// Returns a time as a message.
TF2_ROS_PUBLIC builtin_interfaces::msg::Time toMsg(const tf2::TimePoint & t);

/// Returns the time of a message.
TF2_ROS_PUBLIC tf2::TimePoint fromMsg(const builtin_interfaces::msg::Time & time_msg);

/// Returns a duration as a message.
TF2_ROS_PUBLIC builtin_interfaces::msg::Duration toMsg(const tf2::Duration & t);

/// Returns the duration of a message.
TF2_ROS_PUBLIC tf2::Duration fromMsg(const builtin_interfaces::msg::Duration & duration_msg);

/// Returns the time of a message in seconds since 1970.
TF2_ROS_PUBLIC double timeToSec(const builtin_interfaces::msg::Time & time_msg);

inline tf2::TimePoint fromRclcpp(const rclcpp::Time & time)
{
  return tf2::TimePoint(std::chrono::nanoseconds(time.nanoseconds()));
}

/// Returns a time of the system clock, because a TimePoint does not say which clock it is from.
inline rclcpp::Time toRclcpp(const tf2::TimePoint & time)
{
  return rclcpp::Time(std::chrono::nanoseconds(time.time_since_epoch()).count());
}

inline tf2::Duration fromRclcpp(const rclcpp::Duration & duration)
{
  return tf2::Duration(std::chrono::nanoseconds(duration.nanoseconds()));
}

inline rclcpp::Duration toRclcpp(const tf2::Duration & duration)
{
  return rclcpp::Duration(std::chrono::nanoseconds(duration));
}

/// Looks up transforms and waits for them. The functions that transform data need the header of its conversions.
///
/// A timeout of 0 does not wait.
class TF2_ROS_PUBLIC BufferInterface
{
public:
  virtual ~BufferInterface() = default;

  /// Returns the transform that takes data from `source_frame` to `target_frame`. Throws a tf2::TransformException.
  virtual geometry_msgs::msg::TransformStamped lookupTransform(
    const std::string & target_frame, const std::string & source_frame, const tf2::TimePoint & time,
    const tf2::Duration timeout) const = 0;

  /// Returns the transform from the source at one time to the target at another, over a frame that does not move.
  virtual geometry_msgs::msg::TransformStamped lookupTransform(
    const std::string & target_frame, const tf2::TimePoint & target_time, const std::string & source_frame,
    const tf2::TimePoint & source_time, const std::string & fixed_frame, const tf2::Duration timeout) const = 0;

  /// Returns true if lookupTransform would return; else `errstr`, if it is not null, gets the reason.
  virtual bool canTransform(
    const std::string & target_frame, const std::string & source_frame, const tf2::TimePoint & time,
    const tf2::Duration timeout, std::string * errstr = nullptr) const = 0;

  /// As canTransform, for the second form of lookupTransform.
  virtual bool canTransform(
    const std::string & target_frame, const tf2::TimePoint & target_time, const std::string & source_frame,
    const tf2::TimePoint & source_time, const std::string & fixed_frame, const tf2::Duration timeout,
    std::string * errstr = nullptr) const = 0;

  /// Transforms data, which has a frame and a time, into another frame.
  template<class T>
  T & transform(
    const T & in, T & out, const std::string & target_frame, tf2::Duration timeout = tf2::Duration::zero()) const
  {
    tf2::doTransform(
      in, out, lookupTransform(target_frame, tf2::getFrameId(in), tf2::getTimestamp(in), timeout));
    return out;
  }

  template<class T>
  T transform(const T & in, const std::string & target_frame, tf2::Duration timeout = tf2::Duration::zero()) const
  {
    T out;
    return transform(in, out, target_frame, timeout);
  }

  /// Transforms data and converts it into another type.
  template<class A, class B>
  B & transform(
    const A & in, B & out, const std::string & target_frame, tf2::Duration timeout = tf2::Duration::zero()) const
  {
    tf2::convert(transform(in, target_frame, timeout), out);
    return out;
  }

  /// Transforms data into another frame at another time, over a frame that does not move.
  template<class T>
  T & transform(
    const T & in, T & out, const std::string & target_frame, const tf2::TimePoint & target_time,
    const std::string & fixed_frame, tf2::Duration timeout = tf2::Duration::zero()) const
  {
    tf2::doTransform(
      in, out,
      lookupTransform(target_frame, target_time, tf2::getFrameId(in), tf2::getTimestamp(in), fixed_frame, timeout));
    return out;
  }

  template<class T>
  T transform(
    const T & in, const std::string & target_frame, const tf2::TimePoint & target_time,
    const std::string & fixed_frame, tf2::Duration timeout = tf2::Duration::zero()) const
  {
    T out;
    return transform(in, out, target_frame, target_time, fixed_frame, timeout);
  }

  template<class A, class B>
  B & transform(
    const A & in, B & out, const std::string & target_frame, const tf2::TimePoint & target_time,
    const std::string & fixed_frame, tf2::Duration timeout = tf2::Duration::zero()) const
  {
    tf2::convert(transform(in, target_frame, target_time, fixed_frame, timeout), out);
    return out;
  }
};

}  // namespace tf2_ros

#endif
