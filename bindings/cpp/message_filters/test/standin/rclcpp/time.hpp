// A stand-in for rclcpp::Time, for tests without rclcpp. It throws in the same cases.
#ifndef RCLCPP_TIME_HPP_
#define RCLCPP_TIME_HPP_

#include <cstdint>
#include <stdexcept>

#include "builtin_interfaces/msg/time.hpp"
#include "rcl/time.h"
#include "rclcpp/duration.hpp"

namespace rclcpp
{

class Time
{
public:
  Time(std::int32_t seconds, std::uint32_t nanoseconds, rcl_clock_type_t clock_type = RCL_SYSTEM_TIME)
  : Time(std::int64_t{seconds} * 1000000000 + nanoseconds, clock_type) {}

  explicit Time(std::int64_t nanoseconds = 0, rcl_clock_type_t clock_type = RCL_SYSTEM_TIME)
  : nanoseconds_(nanoseconds), clock_type_(clock_type)
  {
    if (nanoseconds < 0) {
      throw std::runtime_error("cannot store a negative time point in rclcpp::Time");
    }
  }

  Time(  // NOLINT(runtime/explicit)
    const builtin_interfaces::msg::Time & message, rcl_clock_type_t clock_type = RCL_ROS_TIME)
  : Time(message.sec, message.nanosec, clock_type) {}

  operator builtin_interfaces::msg::Time() const
  {
    builtin_interfaces::msg::Time message;
    message.sec = static_cast<std::int32_t>(nanoseconds_ / 1000000000);
    message.nanosec = static_cast<std::uint32_t>(nanoseconds_ % 1000000000);
    return message;
  }

  std::int64_t nanoseconds() const {return nanoseconds_;}
  double seconds() const {return static_cast<double>(nanoseconds_) * 1e-9;}
  rcl_clock_type_t get_clock_type() const {return clock_type_;}

  bool operator==(const Time & other) const {return nanoseconds_ == checked(other);}
  bool operator!=(const Time & other) const {return nanoseconds_ != checked(other);}
  bool operator<(const Time & other) const {return nanoseconds_ < checked(other);}
  bool operator<=(const Time & other) const {return nanoseconds_ <= checked(other);}
  bool operator>(const Time & other) const {return nanoseconds_ > checked(other);}
  bool operator>=(const Time & other) const {return nanoseconds_ >= checked(other);}
  Time operator+(const Duration & duration) const {return Time(nanoseconds_ + duration.nanoseconds(), clock_type_);}
  Duration operator-(const Time & other) const {return Duration::from_nanoseconds(nanoseconds_ - checked(other));}

private:
  std::int64_t checked(const Time & other) const
  {
    if (other.clock_type_ != clock_type_) {
      throw std::runtime_error("can't compare times with different time sources");
    }
    return other.nanoseconds_;
  }

  std::int64_t nanoseconds_;
  rcl_clock_type_t clock_type_;
};

}  // namespace rclcpp

#endif
