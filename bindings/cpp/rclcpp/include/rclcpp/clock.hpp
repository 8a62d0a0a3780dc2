#ifndef RCLCPP__CLOCK_HPP_
#define RCLCPP__CLOCK_HPP_

#include <functional>
#include <memory>

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
  Clock(const Clock &) = delete;
  Clock & operator=(const Clock &) = delete;
  ~Clock();

  /// Returns the present time. With simulated time it is 0 before the first message on /clock.
  Time now() const;
  /// Waits until a time. Returns false if the context was shut down before, or if the time jumped.
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
  /// Returns whether the clock has simulated time.
  /// \throws rclcpp::exceptions::RCLError if it is no clock of ROS time
  bool ros_time_is_active();
  rcl_clock_type_t get_clock_type() const noexcept {return type_;}
  /// Calls functions before and after each jump that reaches a threshold. Keep the handler.
  JumpHandler::SharedPtr create_jump_callback(
    JumpHandler::pre_callback_t pre_callback, JumpHandler::post_callback_t post_callback,
    const rcl_jump_threshold_t & threshold);
  /// Returns the clock of libsaltus.
  saltus_clock_t * get_saltus_clock() const {return handle_.get();}

private:
  std::shared_ptr<saltus_clock_t> handle_;
  rcl_clock_type_t type_;
};

}  // namespace rclcpp

#endif  // RCLCPP__CLOCK_HPP_
