#ifndef RCLCPP__RATE_HPP_
#define RCLCPP__RATE_HPP_

#include <chrono>
#include <memory>
#include <stdexcept>

#include "rclcpp/clock.hpp"
#include "rclcpp/duration.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/utilities.hpp"
#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{

class RCLCPP_PUBLIC RateBase
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(RateBase)

  RateBase() = default;
  RateBase(const RateBase &) = delete;
  RateBase & operator=(const RateBase &) = delete;
  virtual ~RateBase() = default;
  virtual bool sleep() = 0;
  virtual rcl_clock_type_t get_type() const = 0;
  virtual void reset() = 0;
};

/// Makes a loop run at a frequency.
class RCLCPP_PUBLIC Rate : public RateBase
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(Rate)

  /// \throws std::invalid_argument if the rate or the period is not positive
  explicit Rate(double rate, Clock::SharedPtr clock = std::make_shared<Clock>(RCL_SYSTEM_TIME));
  explicit Rate(const Duration & period, Clock::SharedPtr clock = std::make_shared<Clock>(RCL_SYSTEM_TIME));

  /// Waits until the end of the period. Returns false if the period is over already.
  bool sleep() override;
  rcl_clock_type_t get_type() const override;
  [[deprecated("use get_type() instead")]]
  bool is_steady() const {return get_type() == RCL_STEADY_TIME;}
  /// Begins a period now.
  void reset() override;
  std::chrono::nanoseconds period() const;

private:
  Clock::SharedPtr clock_;
  Duration period_;
  Time last_interval_;
};

/// A rate by a clock of std::chrono.
template<class ClockT = std::chrono::high_resolution_clock>
class [[deprecated("use rclcpp::Rate")]] GenericRate : public RateBase
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(GenericRate)

  /// \throws std::invalid_argument if the rate or the period is not positive
  explicit GenericRate(double rate)
  : GenericRate(std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(1.0 / checked(rate)))) {}
  explicit GenericRate(std::chrono::nanoseconds period)
  : period_(period), last_interval_(ClockT::now())
  {
    checked(static_cast<double>(period.count()));
  }

  bool sleep() override
  {
    const auto now = ClockT::now();
    if (now < last_interval_) {
      // The clock was set back.
      last_interval_ = now;
    }
    const auto end = last_interval_ + period_;
    last_interval_ = end;
    if (end <= now) {
      // After a long delay the periods begin anew.
      last_interval_ = now > end + period_ ? now : end;
      return false;
    }
    rclcpp::sleep_for(std::chrono::duration_cast<std::chrono::nanoseconds>(end - now));
    return true;
  }
  rcl_clock_type_t get_type() const override {return ClockT::is_steady ? RCL_STEADY_TIME : RCL_SYSTEM_TIME;}
  bool is_steady() const {return ClockT::is_steady;}
  void reset() override {last_interval_ = ClockT::now();}
  std::chrono::nanoseconds period() const {return period_;}

private:
  static double checked(double positive)
  {
    if (!(positive > 0)) {
      throw std::invalid_argument("the rate and its period must be greater than zero");
    }
    return positive;
  }

  std::chrono::nanoseconds period_;
  std::chrono::time_point<ClockT, std::chrono::nanoseconds> last_interval_;
};

/// A rate by the clock of the time of day.
class RCLCPP_PUBLIC WallRate : public Rate
{
public:
  explicit WallRate(double rate);
  explicit WallRate(const Duration & period);
};

/// A rate by the clock of ROS time.
class RCLCPP_PUBLIC ROSRate : public Rate
{
public:
  explicit ROSRate(double rate);
  explicit ROSRate(const Duration & period);
};

}  // namespace rclcpp

#endif  // RCLCPP__RATE_HPP_
