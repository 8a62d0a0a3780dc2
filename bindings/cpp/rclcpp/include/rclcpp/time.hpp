#ifndef RCLCPP__TIME_HPP_
#define RCLCPP__TIME_HPP_

#include <cstdint>

#include "builtin_interfaces/msg/detail/time__struct.hpp"
#include "rcl/time.h"
#include "rclcpp/duration.hpp"
#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{

/// A time of a kind of clock, in nanoseconds. Times of different kinds can't be compared or subtracted.
class RCLCPP_PUBLIC Time
{
public:
  /// \throws std::runtime_error if the seconds are negative
  Time(int32_t seconds, uint32_t nanoseconds, rcl_clock_type_t clock_type = RCL_SYSTEM_TIME);
  explicit Time(int64_t nanoseconds = 0, rcl_clock_type_t clock_type = RCL_SYSTEM_TIME)
  : rcl_time_{nanoseconds, clock_type} {}
  /// \throws std::runtime_error if the time is negative
  Time(  // NOLINT
    const builtin_interfaces::msg::Time & time_msg, rcl_clock_type_t clock_type = RCL_ROS_TIME);
  explicit Time(const rcl_time_point_t & time_point)
  : rcl_time_(time_point) {}
  Time(const Time &) = default;
  virtual ~Time() = default;

  operator builtin_interfaces::msg::Time() const;  // NOLINT
  Time & operator=(const Time &) = default;
  Time & operator=(const builtin_interfaces::msg::Time & time_msg);

  /// \throws std::runtime_error for times of different kinds of clocks, here and below
  bool operator==(const Time & rhs) const;
  bool operator!=(const Time & rhs) const;
  bool operator<(const Time & rhs) const;
  bool operator<=(const Time & rhs) const;
  bool operator>(const Time & rhs) const;
  bool operator>=(const Time & rhs) const;
  /// \throws std::overflow_error, std::underflow_error, here and below
  Time operator+(const Duration & rhs) const;
  Duration operator-(const Time & rhs) const;
  Time operator-(const Duration & rhs) const;
  Time & operator+=(const Duration & rhs);
  Time & operator-=(const Duration & rhs);

  /// Returns the nanoseconds.
  rcl_time_point_value_t nanoseconds() const {return rcl_time_.nanoseconds;}
  /// Returns the last time of a kind of clock.
  static Time max(rcl_clock_type_t clock_type = RCL_SYSTEM_TIME);
  /// Returns the seconds. A double has microseconds for times of today.
  double seconds() const;
  /// Returns the kind of clock.
  rcl_clock_type_t get_clock_type() const {return rcl_time_.clock_type;}

private:
  rcl_time_point_t rcl_time_;
};

RCLCPP_PUBLIC Time operator+(const Duration & lhs, const Time & rhs);

/// Returns a time as a message. The nanoseconds of a negative time count forward from the second before it.
RCLCPP_PUBLIC builtin_interfaces::msg::Time convert_rcl_time_to_sec_nanos(const rcl_time_point_value_t & time_point);

}  // namespace rclcpp

#endif  // RCLCPP__TIME_HPP_
