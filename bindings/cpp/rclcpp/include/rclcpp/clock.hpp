#ifndef RCLCPP__CLOCK_HPP_
#define RCLCPP__CLOCK_HPP_

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "rcl/time.h"
#include "rclcpp/contexts/default_context.hpp"
#include "rclcpp/duration.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/time.hpp"
#include "rclcpp/visibility_control.hpp"

struct saltus_clock_t;

namespace rclcpp
{

/// Keeps the callbacks for the jumps of a clock, until it is destroyed.
class RCLCPP_PUBLIC JumpHandler
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(JumpHandler)

  using pre_callback_t = std::function<void ()>;
  using post_callback_t = std::function<void (const rcl_time_jump_t &)>;

  JumpHandler(pre_callback_t pre, post_callback_t post, const rcl_jump_threshold_t & threshold)
  : pre_callback(std::move(pre)), post_callback(std::move(post)), notice_threshold(threshold) {}

  pre_callback_t pre_callback;
  post_callback_t post_callback;
  rcl_jump_threshold_t notice_threshold;
};

/// A source of time.
class RCLCPP_PUBLIC Clock
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(Clock)

  explicit Clock(rcl_clock_type_t clock_type = RCL_SYSTEM_TIME);
  /// Takes over the clock of a node.
  Clock(std::shared_ptr<saltus_clock_t> handle, rcl_clock_type_t clock_type);
  /// The copy is the same clock.
  Clock(const Clock &) = default;
  Clock & operator=(const Clock &) = default;
  ~Clock();

  /// Returns the present time. With simulated time it is 0 before the first message on /clock.
  Time now() const;
  /// Waits until a time. Returns false if the context was shut down before, if ROS time was switched on or off, or after
  /// cancel_sleep_or_wait().
  /// \throws std::runtime_error if the time is one of another kind of clock, or if the context is not valid
  bool sleep_until(Time until, Context::SharedPtr context = contexts::get_global_default_context());
  /// Waits for a duration, as sleep_until().
  bool sleep_for(Duration rel_time, Context::SharedPtr context = contexts::get_global_default_context());
  /// Returns whether the time is not 0: with simulated time, a message on /clock has come.
  bool started();
  /// Waits until started(). Returns false if the context was shut down before.
  bool wait_until_started(Context::SharedPtr context = contexts::get_global_default_context());
  /// Waits until started(), for at most a duration.
  bool wait_until_started(
    const Duration & timeout, Context::SharedPtr context = contexts::get_global_default_context(),
    const Duration & wait_tick_ns = Duration(0, 10 * 1000 * 1000));
  /// Ends sleep_until(), sleep_for(), and wait_until_started() without a timeout on all threads. If no thread waits, the next one
  /// does not.
  void cancel_sleep_or_wait();
  /// Returns whether the clock has simulated time.
  /// \throws rclcpp::exceptions::RCLError if it is no clock of ROS time
  bool ros_time_is_active();
  /// Returns the clock for the functions of rcl. rcl_enable_ros_time_override() and rcl_set_ros_time_override() set the time
  /// that now() returns, until the next message on /clock; timers do not follow it. Lock get_clock_mutex() for these calls if
  /// several threads make them.
  rcl_clock_t * get_clock_handle() noexcept;
  rcl_clock_type_t get_clock_type() const noexcept;
  /// Returns the lock for the functions of rcl that change the clock.
  std::mutex & get_clock_mutex() noexcept;
  /// Calls functions before and after each jump that reaches a threshold. Keep the handler: without it, they are not called.
  /// \throws rclcpp::exceptions::RCLInvalidArgument if a threshold has the wrong sign
  JumpHandler::SharedPtr create_jump_callback(
    JumpHandler::pre_callback_t pre_callback, JumpHandler::post_callback_t post_callback,
    const rcl_jump_threshold_t & threshold);
  /// Returns the clock of libsaltus.
  saltus_clock_t * get_saltus_clock() const;

private:
  class Impl;

  std::shared_ptr<Impl> impl_;
};

}  // namespace rclcpp

#endif  // RCLCPP__CLOCK_HPP_
