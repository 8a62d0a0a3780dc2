// The messages of a message filter, of any type.
#ifndef TF2_ROS_IMPL_MESSAGE_QUEUE_HPP_
#define TF2_ROS_IMPL_MESSAGE_QUEUE_HPP_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "message_filters/connection.hpp"
#include "rclcpp/node_interfaces/node_logging_interface.hpp"
#include "tf2/buffer_core_interface.hpp"
#include "tf2/time.hpp"
#include "tf2_ros/async_buffer_interface.hpp"
#include "tf2_ros/visibility_control.hpp"

namespace tf2_ros
{

namespace filter_failure_reasons
{

/// Why a filter has dropped a message.
enum FilterFailureReason
{
  Unknown,
  /// The time of the message is before all transforms.
  OutTheBack,
  /// The message has no frame.
  EmptyFrameID,
  /// The transform was not known within the timeout.
  NoTransformFound,
  /// There was no room.
  QueueFull,
  /// The number of reasons.
  FilterFailureReasonCount,
};

}  // namespace filter_failure_reasons

typedef filter_failure_reasons::FilterFailureReason FilterFailureReason;

/// Returns a reason in words.
TF2_ROS_PUBLIC std::string get_filter_failure_reason_string(filter_failure_reasons::FilterFailureReason reason);

namespace impl
{

/// Returns a duration in nanoseconds, or the longest one if it does not fit.
template<typename Rep, typename Period>
tf2::Duration saturated(std::chrono::duration<Rep, Period> duration)
{
  if (std::chrono::duration<double>(duration) >= std::chrono::duration<double>(tf2::Duration::max())) {
    return tf2::Duration::max();
  }
  return std::chrono::duration_cast<tf2::Duration>(duration);
}

/// Holds messages until their transforms are known. This part of a filter does not depend on the type of messages.
class TF2_ROS_PUBLIC MessageQueue
{
public:
  using Ready = std::function<void (const std::shared_ptr<void> & event)>;
  using Failed = std::function<void (const std::shared_ptr<void> & event, FilterFailureReason reason)>;

  /// What a queue uses.
  struct Environment
  {
    AsyncBufferInterface & requests;
    const tf2::BufferCoreInterface & buffer;
    rclcpp::node_interfaces::NodeLoggingInterface::SharedPtr logging;
    tf2::Duration timeout;
  };

  /// Makes a queue. A size of 0 is no limit.
  static std::shared_ptr<MessageQueue> create(Environment environment, std::uint32_t size, Ready ready);
  ~MessageQueue();

  void add(std::shared_ptr<void> event, const std::string & frame, tf2::TimePoint stamp);
  void clear();
  /// Drops all messages and waits for callbacks on other threads. No callback begins afterwards.
  void close();

  void setTargetFrames(const std::vector<std::string> & frames);
  std::string targetFramesString() const;
  void setTolerance(tf2::Duration tolerance);
  void setSize(std::uint32_t size);
  std::uint32_t size() const;
  message_filters::Connection addFailureCallback(Failed callback);

private:
  class State;

  MessageQueue(Environment environment, std::uint32_t size, Ready ready);

  const std::shared_ptr<State> state_;
};

}  // namespace impl
}  // namespace tf2_ros

#endif
