// The handlers for the jumps of a clock.
#ifndef CLOCK_JUMPS_HPP_
#define CLOCK_JUMPS_HPP_

#include <memory>
#include <mutex>
#include <vector>

#include "rclcpp/clock.hpp"

namespace rclcpp::detail
{

/// A handler, which is not called any more after its end.
class RegisteredJumpHandler
{
public:
  explicit RegisteredJumpHandler(JumpHandler handler)
  : handler_(std::move(handler)) {}

  JumpHandler * handler() {return &handler_;}
  /// Calls one of the functions if the jump reaches the threshold. An exception is kept for the function that spins.
  void call(const rcl_time_jump_t & jump, bool before_jump);
  /// Ends the calls. A call on another thread has returned when this returns; the handler itself may call this.
  void end();

private:
  JumpHandler handler_;
  std::recursive_mutex running_;
  bool is_ended_ = false;
};

/// All handlers of a clock. Handlers may be added and may end at any time, also in the call of a handler.
class JumpHandlers
{
public:
  /// Adds a handler, which ends when the returned pointer does.
  JumpHandler::SharedPtr add(JumpHandler handler);
  /// Calls all handlers that want to know of the jump.
  void call(const rcl_time_jump_t & jump, bool before_jump);

private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<RegisteredJumpHandler>> all_;
};

}  // namespace rclcpp::detail

#endif  // CLOCK_JUMPS_HPP_
