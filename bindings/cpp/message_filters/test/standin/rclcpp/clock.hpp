// A stand-in for rclcpp::Clock, for tests without rclcpp.
#ifndef RCLCPP_CLOCK_HPP_
#define RCLCPP_CLOCK_HPP_

#include <chrono>
#include <memory>

#include "rclcpp/time.hpp"

namespace rclcpp
{

class Clock
{
public:
  using SharedPtr = std::shared_ptr<Clock>;

  explicit Clock(rcl_clock_type_t clock_type = RCL_SYSTEM_TIME)
  : clock_type_(clock_type) {}

  Time now() const
  {
    const std::chrono::nanoseconds system = std::chrono::system_clock::now().time_since_epoch();
    return Time(clock_.is_overridden ? clock_.time.load() : system.count(), clock_type_);
  }

  rcl_clock_t * get_clock_handle() {return &clock_;}

private:
  rcl_clock_type_t clock_type_;
  rcl_clock_t clock_;
};

}  // namespace rclcpp

#endif
