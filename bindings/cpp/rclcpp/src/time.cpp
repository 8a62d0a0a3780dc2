#include "rclcpp/time.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace rclcpp
{
namespace
{

constexpr int64_t SECOND = 1000000000;

/// Returns seconds and nanoseconds of 0 to 999,999,999. Seconds that a message can't have become the nearest it can.
template<typename Message>
Message message_of(int64_t nanoseconds)
{
  int64_t seconds = nanoseconds / SECOND;
  int64_t rest = nanoseconds % SECOND;
  if (rest < 0) {
    seconds -= 1;
    rest += SECOND;
  }
  Message message;
  if (seconds > std::numeric_limits<int32_t>::max()) {
    message.sec = std::numeric_limits<int32_t>::max();
    message.nanosec = std::numeric_limits<uint32_t>::max();
  } else if (seconds < std::numeric_limits<int32_t>::min()) {
    message.sec = std::numeric_limits<int32_t>::min();
    message.nanosec = 0;
  } else {
    message.sec = static_cast<int32_t>(seconds);
    message.nanosec = static_cast<uint32_t>(rest);
  }
  return message;
}

int64_t added(int64_t left, int64_t right, const char * what)
{
  int64_t sum = 0;
  if (__builtin_add_overflow(left, right, &sum)) {
    const std::string limit = right > 0 ? "overflow" : "underflow";
    const std::string text = std::string(what) + " leads to int64_t " + limit;
    if (right > 0) {
      throw std::overflow_error(text);
    }
    throw std::underflow_error(text);
  }
  return sum;
}

int64_t subtracted(int64_t left, int64_t right, const char * what)
{
  int64_t difference = 0;
  if (__builtin_sub_overflow(left, right, &difference)) {
    const std::string limit = right < 0 ? "overflow" : "underflow";
    const std::string text = std::string(what) + " leads to int64_t " + limit;
    if (right < 0) {
      throw std::overflow_error(text);
    }
    throw std::underflow_error(text);
  }
  return difference;
}

void expect_same_clock(const Time & left, const Time & right, const char * what)
{
  if (left.get_clock_type() != right.get_clock_type()) {
    throw std::runtime_error(
            std::string("can't ") + what + " times with different time sources [" +
            std::to_string(left.get_clock_type()) + " != " + std::to_string(right.get_clock_type()) +
            "]: a time that is made without a clock is of RCL_SYSTEM_TIME, and one of a node or message of RCL_ROS_TIME");
  }
}

}  // namespace

Duration::Duration(int32_t seconds, uint32_t nanoseconds)
: rcl_duration_{SECOND * seconds + nanoseconds} {}

Duration::Duration(const builtin_interfaces::msg::Duration & duration_msg)
: rcl_duration_{SECOND * duration_msg.sec + duration_msg.nanosec} {}

Duration::operator builtin_interfaces::msg::Duration() const
{
  return message_of<builtin_interfaces::msg::Duration>(nanoseconds());
}

Duration & Duration::operator=(const builtin_interfaces::msg::Duration & duration_msg)
{
  return *this = Duration(duration_msg);
}

Duration Duration::operator+(const Duration & rhs) const
{
  return from_nanoseconds(added(nanoseconds(), rhs.nanoseconds(), "addition"));
}

Duration & Duration::operator+=(const Duration & rhs) {return *this = *this + rhs;}

Duration Duration::operator-(const Duration & rhs) const
{
  return from_nanoseconds(subtracted(nanoseconds(), rhs.nanoseconds(), "duration subtraction"));
}

Duration & Duration::operator-=(const Duration & rhs) {return *this = *this - rhs;}

Duration Duration::operator*(double scale) const
{
  if (!std::isfinite(scale)) {
    throw std::runtime_error("abnormal scale in rclcpp::Duration");
  }
  const long double scaled = static_cast<long double>(nanoseconds()) * static_cast<long double>(scale);
  if (scaled > static_cast<long double>(std::numeric_limits<int64_t>::max())) {
    throw std::overflow_error("duration scaling leads to int64_t overflow");
  }
  if (scaled < static_cast<long double>(std::numeric_limits<int64_t>::min())) {
    throw std::underflow_error("duration scaling leads to int64_t underflow");
  }
  return from_nanoseconds(static_cast<int64_t>(scaled));
}

Duration & Duration::operator*=(double scale) {return *this = *this * scale;}

Duration Duration::max() {return Duration(std::numeric_limits<int32_t>::max(), 999999999);}

double Duration::seconds() const {return static_cast<double>(nanoseconds()) * 1e-9;}

Duration Duration::from_seconds(double seconds)
{
  return from_nanoseconds(static_cast<int64_t>(seconds * 1e9));
}

Duration Duration::from_nanoseconds(rcl_duration_value_t nanoseconds)
{
  Duration duration;
  duration.rcl_duration_.nanoseconds = nanoseconds;
  return duration;
}

Duration Duration::from_rmw_time(rmw_time_t duration)
{
  constexpr int64_t longest = std::numeric_limits<int64_t>::max();
  if (duration.sec > static_cast<uint64_t>(longest / SECOND)) {
    return from_nanoseconds(longest);
  }
  const uint64_t total = duration.sec * static_cast<uint64_t>(SECOND) + duration.nsec;
  return from_nanoseconds(total > static_cast<uint64_t>(longest) ? longest : static_cast<int64_t>(total));
}

rmw_time_t Duration::to_rmw_time() const
{
  if (nanoseconds() < 0) {
    throw std::runtime_error("rmw_time_t cannot be negative");
  }
  rmw_time_t time{};
  time.sec = static_cast<uint64_t>(nanoseconds() / SECOND);
  time.nsec = static_cast<uint64_t>(nanoseconds() % SECOND);
  return time;
}

Time::Time(int32_t seconds, uint32_t nanoseconds, rcl_clock_type_t clock_type)
: rcl_time_{SECOND * seconds + nanoseconds, clock_type}
{
  if (seconds < 0) {
    throw std::runtime_error("cannot store a negative time point in rclcpp::Time");
  }
}

Time::Time(const builtin_interfaces::msg::Time & time_msg, rcl_clock_type_t clock_type)
: Time(time_msg.sec, time_msg.nanosec, clock_type) {}

Time::operator builtin_interfaces::msg::Time() const
{
  return message_of<builtin_interfaces::msg::Time>(nanoseconds());
}

Time & Time::operator=(const builtin_interfaces::msg::Time & time_msg) {return *this = Time(time_msg);}

bool Time::operator==(const Time & rhs) const
{
  expect_same_clock(*this, rhs, "compare");
  return nanoseconds() == rhs.nanoseconds();
}

bool Time::operator!=(const Time & rhs) const {return !(*this == rhs);}

bool Time::operator<(const Time & rhs) const
{
  expect_same_clock(*this, rhs, "compare");
  return nanoseconds() < rhs.nanoseconds();
}

bool Time::operator<=(const Time & rhs) const {return !(rhs < *this);}

bool Time::operator>(const Time & rhs) const {return rhs < *this;}

bool Time::operator>=(const Time & rhs) const {return !(*this < rhs);}

Time Time::operator+(const Duration & rhs) const
{
  return Time(added(nanoseconds(), rhs.nanoseconds(), "addition"), get_clock_type());
}

Duration Time::operator-(const Time & rhs) const
{
  expect_same_clock(*this, rhs, "subtract");
  return Duration::from_nanoseconds(subtracted(nanoseconds(), rhs.nanoseconds(), "time subtraction"));
}

Time Time::operator-(const Duration & rhs) const
{
  return Time(subtracted(nanoseconds(), rhs.nanoseconds(), "time subtraction"), get_clock_type());
}

Time & Time::operator+=(const Duration & rhs) {return *this = *this + rhs;}

Time & Time::operator-=(const Duration & rhs) {return *this = *this - rhs;}

Time Time::max(rcl_clock_type_t clock_type)
{
  return Time(std::numeric_limits<int32_t>::max(), 999999999, clock_type);
}

double Time::seconds() const {return static_cast<double>(nanoseconds()) * 1e-9;}

Time operator+(const Duration & lhs, const Time & rhs) {return rhs + lhs;}

builtin_interfaces::msg::Time convert_rcl_time_to_sec_nanos(const rcl_time_point_value_t & time_point)
{
  return message_of<builtin_interfaces::msg::Time>(time_point);
}

builtin_interfaces::msg::Time operator+(const builtin_interfaces::msg::Time & lhs, const Duration & rhs)
{
  return convert_rcl_time_to_sec_nanos((Time(lhs) + rhs).nanoseconds());
}

builtin_interfaces::msg::Time operator-(const builtin_interfaces::msg::Time & lhs, const Duration & rhs)
{
  return convert_rcl_time_to_sec_nanos((Time(lhs) - rhs).nanoseconds());
}

}  // namespace rclcpp
