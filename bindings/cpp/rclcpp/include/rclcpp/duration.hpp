#ifndef RCLCPP__DURATION_HPP_
#define RCLCPP__DURATION_HPP_

#include <chrono>
#include <cstdint>

#include "builtin_interfaces/msg/detail/duration__struct.hpp"
#include "builtin_interfaces/msg/detail/time__struct.hpp"
#include "rcl/time.h"
#include "rclcpp/visibility_control.hpp"
#include "rmw/time.h"

namespace rclcpp
{

/// A duration in nanoseconds, negative ones included.
class RCLCPP_PUBLIC Duration
{
public:
  Duration(int32_t seconds, uint32_t nanoseconds);  // NOLINT
  explicit Duration(std::chrono::nanoseconds nanoseconds)
  : rcl_duration_{nanoseconds.count()} {}
  template<class Rep, class Period>
  Duration(const std::chrono::duration<Rep, Period> & duration)  // NOLINT
  : rcl_duration_{std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count()} {}
  Duration(const builtin_interfaces::msg::Duration & duration_msg);  // NOLINT
  explicit Duration(const rcl_duration_t & duration)
  : rcl_duration_(duration) {}
  Duration(const Duration &) = default;
  virtual ~Duration() = default;

  operator builtin_interfaces::msg::Duration() const;  // NOLINT
  Duration & operator=(const Duration &) = default;
  Duration & operator=(const builtin_interfaces::msg::Duration & duration_msg);

  bool operator==(const Duration & rhs) const {return nanoseconds() == rhs.nanoseconds();}
  bool operator!=(const Duration & rhs) const {return nanoseconds() != rhs.nanoseconds();}
  bool operator<(const Duration & rhs) const {return nanoseconds() < rhs.nanoseconds();}
  bool operator<=(const Duration & rhs) const {return nanoseconds() <= rhs.nanoseconds();}
  bool operator>(const Duration & rhs) const {return nanoseconds() > rhs.nanoseconds();}
  bool operator>=(const Duration & rhs) const {return nanoseconds() >= rhs.nanoseconds();}

  /// \throws std::overflow_error, std::underflow_error
  Duration operator+(const Duration & rhs) const;
  Duration & operator+=(const Duration & rhs);
  Duration operator-(const Duration & rhs) const;
  Duration & operator-=(const Duration & rhs);
  /// \throws std::runtime_error if the factor is not finite
  Duration operator*(double scale) const;
  Duration & operator*=(double scale);

  /// Returns the longest duration.
  static Duration max();
  /// Returns the nanoseconds.
  rcl_duration_value_t nanoseconds() const {return rcl_duration_.nanoseconds;}
  /// Returns the seconds. The last digits of long durations are lost.
  double seconds() const;
  static Duration from_seconds(double seconds);
  static Duration from_nanoseconds(rcl_duration_value_t nanoseconds);
  static Duration from_rmw_time(rmw_time_t duration);
  /// \throws std::runtime_error if it is negative
  rmw_time_t to_rmw_time() const;

  template<class DurationT>
  DurationT to_chrono() const
  {
    return std::chrono::duration_cast<DurationT>(std::chrono::nanoseconds(nanoseconds()));
  }

private:
  friend class Time;
  Duration() = default;

  rcl_duration_t rcl_duration_{0};
};

/// Returns the time of a message and a duration later, or earlier. The result may be negative.
/// \throws std::runtime_error if the message is negative
/// \throws std::overflow_error, std::underflow_error
RCLCPP_PUBLIC builtin_interfaces::msg::Time operator+(
  const builtin_interfaces::msg::Time & lhs, const rclcpp::Duration & rhs);
RCLCPP_PUBLIC builtin_interfaces::msg::Time operator-(
  const builtin_interfaces::msg::Time & lhs, const rclcpp::Duration & rhs);

}  // namespace rclcpp

#endif  // RCLCPP__DURATION_HPP_
