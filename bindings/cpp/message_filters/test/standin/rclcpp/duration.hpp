// A stand-in for rclcpp::Duration, for tests without rclcpp.
#ifndef RCLCPP_DURATION_HPP_
#define RCLCPP_DURATION_HPP_

#include <chrono>
#include <cstdint>

namespace rclcpp
{

class Duration
{
public:
  Duration(std::int32_t seconds, std::uint32_t nanoseconds)
  : nanoseconds_(std::int64_t{seconds} * 1000000000 + nanoseconds) {}
  Duration(std::chrono::nanoseconds duration)  // NOLINT(runtime/explicit)
  : nanoseconds_(duration.count()) {}

  static Duration from_nanoseconds(std::int64_t nanoseconds) {return std::chrono::nanoseconds(nanoseconds);}
  static Duration from_seconds(double seconds) {return from_nanoseconds(static_cast<std::int64_t>(seconds * 1e9));}

  std::int64_t nanoseconds() const {return nanoseconds_;}

private:
  std::int64_t nanoseconds_;
};

}  // namespace rclcpp

#endif
