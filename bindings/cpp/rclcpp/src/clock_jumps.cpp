#include "clock_jumps.hpp"

#include <algorithm>

#include "libsaltus.hpp"

namespace rclcpp::detail
{
namespace
{

bool is_wanted(const rcl_time_jump_t & jump, const rcl_jump_threshold_t & threshold)
{
  if (jump.clock_change == RCL_ROS_TIME_ACTIVATED || jump.clock_change == RCL_ROS_TIME_DEACTIVATED) {
    return threshold.on_clock_change;
  }
  const int64_t delta = jump.delta.nanoseconds;
  const int64_t forward = threshold.min_forward.nanoseconds;
  const int64_t backward = threshold.min_backward.nanoseconds;
  return (forward > 0 && delta >= forward) || (backward < 0 && delta <= backward);
}

}  // namespace

void RegisteredJumpHandler::call(const rcl_time_jump_t & jump, bool before_jump)
{
  std::lock_guard<std::recursive_mutex> lock(running_);
  if (is_ended_ || !is_wanted(jump, handler_.notice_threshold)) {
    return;
  }
  try {
    if (before_jump && handler_.pre_callback) {
      handler_.pre_callback();
    } else if (!before_jump && handler_.post_callback) {
      handler_.post_callback(jump);
    }
  } catch (...) {
    keep_exception();
  }
}

void RegisteredJumpHandler::end()
{
  std::lock_guard<std::recursive_mutex> lock(running_);
  is_ended_ = true;
}

JumpHandler::SharedPtr JumpHandlers::add(JumpHandler handler)
{
  auto added = std::make_shared<RegisteredJumpHandler>(std::move(handler));
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto is_gone = [](const auto & one) {return one.expired();};
    all_.erase(std::remove_if(all_.begin(), all_.end(), is_gone), all_.end());
    all_.push_back(added);
  }
  return JumpHandler::SharedPtr(added->handler(), [added](JumpHandler *) {added->end();});
}

void JumpHandlers::call(const rcl_time_jump_t & jump, bool before_jump)
{
  std::vector<std::shared_ptr<RegisteredJumpHandler>> present;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto & one : all_) {
      if (auto handler = one.lock()) {
        present.push_back(std::move(handler));
      }
    }
  }
  for (const auto & handler : present) {
    handler->call(jump, before_jump);
  }
}

}  // namespace rclcpp::detail
