// The futures of a buffer that are not complete yet.
#ifndef TF2_ROS_SRC_WAITS_HPP_
#define TF2_ROS_SRC_WAITS_HPP_

#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "tf2_ros/buffer.hpp"

namespace tf2_ros
{

/// A future of a transform. The transform, the timeout and a cancellation may come on different threads at the same time;
/// the one that ends it first counts.
class Wait
{
public:
  explicit Wait(TransformReadyCallback callback);

  TransformStampedFuture future();
  bool hasEnded();
  void setHandle(tf2::TransformableRequestHandle handle);

  /// Sets the timer of the timeout, or removes it if the future has ended meanwhile.
  void setTimer(const CreateTimerInterface::SharedPtr & timers, TimerHandle timer);

  /// Completes the future and calls the callback, unless the future has ended.
  void complete(const geometry_msgs::msg::TransformStamped & transform);
  void fail(const std::exception_ptr & error);

  /// Ends the future, which throws std::future_error, without calling the callback.
  void cancel();

private:
  bool end();

  std::mutex mutex_;
  bool has_ended_ = false;
  CreateTimerInterface::SharedPtr timers_;
  std::optional<TimerHandle> timer_;
  std::promise<geometry_msgs::msg::TransformStamped> promise_;
  TransformStampedFuture future_;
  TransformReadyCallback callback_;
};

/// The waits of a buffer, by the handles of their requests.
class Buffer::Waits
{
public:
  /// Removes a wait at the end of a block: after the wait has ended, so that add() does not keep it for ever.
  class Removal
  {
public:
    Removal(Waits & waits, tf2::TransformableRequestHandle handle)
    : waits_(waits), handle_(handle) {}
    ~Removal() {waits_.take(handle_);}
    Removal(const Removal &) = delete;
    Removal & operator=(const Removal &) = delete;

private:
    Waits & waits_;
    const tf2::TransformableRequestHandle handle_;
  };

  CreateTimerInterface::SharedPtr timers() const;
  void setTimers(CreateTimerInterface::SharedPtr timers);
  /// Keeps a wait, unless it has ended.
  void add(tf2::TransformableRequestHandle handle, const std::shared_ptr<Wait> & wait);
  std::shared_ptr<Wait> take(tf2::TransformableRequestHandle handle);
  std::unordered_map<tf2::TransformableRequestHandle, std::shared_ptr<Wait>> takeAll();

private:
  mutable std::mutex mutex_;
  CreateTimerInterface::SharedPtr timers_;
  std::unordered_map<tf2::TransformableRequestHandle, std::shared_ptr<Wait>> waits_;
};

}  // namespace tf2_ros

#endif
