#include "waits.hpp"

#include <utility>

namespace tf2_ros
{

Wait::Wait(TransformReadyCallback callback)
: future_(promise_.get_future()), callback_(std::move(callback))
{
}

void Wait::setHandle(tf2::TransformableRequestHandle handle)
{
  const std::lock_guard<std::mutex> lock(mutex_);
  future_.setHandle(handle);
}

TransformStampedFuture Wait::future()
{
  const std::lock_guard<std::mutex> lock(mutex_);
  return future_;
}

bool Wait::hasEnded()
{
  const std::lock_guard<std::mutex> lock(mutex_);
  return has_ended_;
}

void Wait::setTimer(const CreateTimerInterface::SharedPtr & timers, TimerHandle timer)
{
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!has_ended_) {
      timers_ = timers;
      timer_ = timer;
      return;
    }
  }
  timers->remove(timer);
}

bool Wait::end()
{
  CreateTimerInterface::SharedPtr timers;
  std::optional<TimerHandle> timer;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (std::exchange(has_ended_, true)) {
      return false;
    }
    timers.swap(timers_);
    timer = timer_;
  }
  if (timers) {
    timers->remove(*timer);
  }
  return true;
}

void Wait::complete(const geometry_msgs::msg::TransformStamped & transform)
{
  if (end()) {
    promise_.set_value(transform);
    callback_(future());
  }
}

void Wait::fail(const std::exception_ptr & error)
{
  if (end()) {
    promise_.set_exception(error);
    callback_(future());
  }
}

void Wait::cancel()
{
  if (end()) {
    promise_.set_exception(std::make_exception_ptr(std::future_error(std::future_errc::broken_promise)));
  }
}

CreateTimerInterface::SharedPtr Buffer::Waits::timers() const
{
  const std::lock_guard<std::mutex> lock(mutex_);
  return timers_;
}

void Buffer::Waits::setTimers(CreateTimerInterface::SharedPtr timers)
{
  const std::lock_guard<std::mutex> lock(mutex_);
  timers_.swap(timers);
}

void Buffer::Waits::add(tf2::TransformableRequestHandle handle, const std::shared_ptr<Wait> & wait)
{
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    waits_[handle] = wait;
  }
  if (wait->hasEnded()) {
    take(handle);
  }
}

std::shared_ptr<Wait> Buffer::Waits::take(tf2::TransformableRequestHandle handle)
{
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = waits_.find(handle);
  if (found == waits_.end()) {
    return nullptr;
  }
  auto wait = std::move(found->second);
  waits_.erase(found);
  return wait;
}

std::unordered_map<tf2::TransformableRequestHandle, std::shared_ptr<Wait>> Buffer::Waits::takeAll()
{
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(waits_, {});
}

}  // namespace tf2_ros
