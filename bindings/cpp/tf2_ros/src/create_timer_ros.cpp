#include "tf2_ros/create_timer_ros.hpp"

#include <exception>
#include <utility>

namespace tf2_ros
{

CreateTimerROS::CreateTimerROS(
  rclcpp::node_interfaces::NodeBaseInterface::SharedPtr node_base,
  rclcpp::node_interfaces::NodeTimersInterface::SharedPtr node_timers, rclcpp::CallbackGroup::SharedPtr callback_group)
: node_base_(std::move(node_base)), node_timers_(std::move(node_timers)), callback_group_(std::move(callback_group))
{
}

CreateTimerROS::~CreateTimerROS() = default;

TimerHandle CreateTimerROS::createTimer(
  rclcpp::Clock::SharedPtr clock, const tf2::Duration & period, TimerCallbackType callback)
{
  // The lock is held until the timer is known: its callback may remove it at once.
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto handle = next_handle_++;
  try {
    timers_[handle] = rclcpp::create_timer(
      std::move(clock), period,
      [handle, call = std::move(callback)]() {
        // The callback may remove the timer and so this function.
        const auto kept = call;
        const auto same = handle;
        kept(same);
      },
      callback_group_, node_base_.get(), node_timers_.get());
  } catch (const std::exception & error) {
    timers_.erase(handle);
    throw CreateTimerInterfaceException(error.what());
  }
  return handle;
}

void CreateTimerROS::cancel(const TimerHandle & timer_handle)
{
  find(timer_handle)->cancel();
}

void CreateTimerROS::reset(const TimerHandle & timer_handle)
{
  find(timer_handle)->reset();
}

void CreateTimerROS::remove(const TimerHandle & timer_handle)
{
  // Destroyed without the lock, because that waits for a callback that runs.
  const auto removed = find(timer_handle);
  const std::lock_guard<std::mutex> lock(mutex_);
  timers_.erase(timer_handle);
}

rclcpp::TimerBase::SharedPtr CreateTimerROS::find(const TimerHandle & timer_handle)
{
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = timers_.find(timer_handle);
  if (found == timers_.end()) {
    throw InvalidTimerHandleException("there is no timer with the handle " + std::to_string(timer_handle));
  }
  return found->second;
}

}  // namespace tf2_ros
