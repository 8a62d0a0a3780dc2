// The state of a queue of messages.
#ifndef TF2_ROS_SRC_QUEUE_STATE_HPP_
#define TF2_ROS_SRC_QUEUE_STATE_HPP_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tf2_ros/impl/message_queue.hpp"

namespace tf2_ros
{
namespace impl
{

/// The callbacks of a queue that run.
class Passages
{
public:
  /// Begins a callback; returns false if the queue is closed.
  bool enter();
  void leave();
  /// Lets no callback begin, and waits for those of other threads.
  void close();

private:
  std::mutex mutex_;
  std::condition_variable left_;
  bool is_closed_ = false;
  std::vector<std::thread::id> inside_;
};

/// A message and the transforms that it waits for.
struct HeldMessage
{
  std::uint64_t number;
  std::shared_ptr<void> event;
  std::string frame;
  tf2::TimePoint stamp;
  std::vector<std::string> targets;
  std::vector<tf2::TimePoint> times;
  /// How many transforms are missing.
  std::size_t missing;
  std::vector<TransformStampedFuture> requests;
};

class MessageQueue::State : public std::enable_shared_from_this<State>
{
public:
  State(Environment environment, std::uint32_t size, Ready ready);

  void add(std::shared_ptr<void> event, const std::string & frame, tf2::TimePoint stamp);
  void clear();
  void close();
  void setTargetFrames(const std::vector<std::string> & frames);
  std::vector<std::string> targetFrames() const;
  void setTolerance(tf2::Duration tolerance);
  void setSize(std::uint32_t size);
  std::uint32_t size() const;
  std::uint64_t addFailureCallback(Failed callback);
  void removeFailureCallback(std::uint64_t number);

private:
  using Held = std::list<HeldMessage>;

  Held hold(HeldMessage message);
  void request(const HeldMessage & message);
  void keep(std::uint64_t number, const TransformStampedFuture & future);
  void answer(std::uint64_t number, const TransformStampedFuture & future);
  Held take(std::uint64_t number, bool is_known);
  void cancel(const HeldMessage & message);
  bool isTransformable(const HeldMessage & message) const;
  void deliver(const HeldMessage & message);
  void drop(const HeldMessage & message, FilterFailureReason reason);
  void log(const HeldMessage & message, FilterFailureReason reason);

  const Environment environment_;
  const Ready ready_;
  Passages passages_;
  mutable std::mutex mutex_;
  std::uint32_t size_;
  std::vector<std::string> targets_;
  tf2::Duration tolerance_{0};
  std::uint64_t last_number_ = 0;
  Held messages_;
  std::map<std::uint64_t, Failed> failure_callbacks_;
  std::chrono::steady_clock::time_point next_log_{};
  std::uint64_t dropped_since_log_ = 0;
};

}  // namespace impl
}  // namespace tf2_ros

#endif
