#include "rclcpp/guard_condition.hpp"

#include <stdexcept>

#include "rcl/wait.h"
#include "rclcpp/detail/add_guard_condition_to_rcl_wait_set.hpp"
#include "rclcpp/exceptions.hpp"

namespace rclcpp
{
namespace detail
{

void GuardState::trigger()
{
  is_triggered_ = true;
  {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    if (on_trigger_) {
      on_trigger_(1);
    } else {
      unread_ += 1;
    }
    if (listener_) {
      listener_();
    }
  }
  waited.notify();
}

void GuardState::set_on_trigger(std::function<void(size_t)> callback)
{
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  on_trigger_ = std::move(callback);
  if (on_trigger_ && unread_ > 0) {
    on_trigger_(unread_);
    unread_ = 0;
  }
}

void GuardState::set_listener(std::function<void()> listener)
{
  std::lock_guard<std::recursive_mutex> lock(mutex_);
  listener_ = std::move(listener);
}

}  // namespace detail

GuardCondition::GuardCondition(const Context::SharedPtr & context, rcl_guard_condition_options_t)
: handle_(rcl_get_zero_initialized_guard_condition())
{
  if (!context) {
    throw std::invalid_argument("context argument unexpectedly nullptr");
  }
  if (!context->is_valid()) {
    throw exceptions::RCLInvalidArgument(
            RCL_RET_INVALID_ARGUMENT, "the given context is not valid", "failed to create guard condition");
  }
  handle_.impl = reinterpret_cast<rcl_guard_condition_impl_t *>(&state_);
}

void GuardCondition::add_to_wait_set(rcl_wait_set_s & wait_set)
{
  detail::add_guard_condition_to_rcl_wait_set(wait_set, *this);
}

void detail::add_guard_condition_to_rcl_wait_set(rcl_wait_set_t & rcl_wait_set, const GuardCondition & guard_condition)
{
  const rcl_ret_t ret =
    rcl_wait_set_add_guard_condition(&rcl_wait_set, &guard_condition.get_rcl_guard_condition(), nullptr);
  if (ret != RCL_RET_OK) {
    exceptions::throw_from_rcl_error(ret, "failed to add guard condition to wait set");
  }
}

}  // namespace rclcpp
