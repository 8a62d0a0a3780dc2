// Holds messages until their transforms are known.
#ifndef TF2_ROS_MESSAGE_FILTER_HPP_
#define TF2_ROS_MESSAGE_FILTER_HPP_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <ratio>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "message_filters/connection.hpp"
#include "message_filters/message_event.hpp"
#include "message_filters/message_traits.hpp"
#include "message_filters/simple_filter.hpp"
#include "rclcpp/rclcpp.hpp"
#include "tf2/buffer_core_interface.hpp"
#include "tf2/time.hpp"
#include "tf2_ros/async_buffer_interface.hpp"
#include "tf2_ros/buffer.hpp"
#include "tf2_ros/impl/message_queue.hpp"
#include "tf2_ros/visibility_control.hpp"

namespace tf2_ros
{

/// The base of message filters.
class TF2_ROS_PUBLIC MessageFilterBase
{
public:
  typedef std::vector<std::string> V_string;

  virtual ~MessageFilterBase() = default;
  virtual void clear() = 0;
  virtual void setTargetFrame(const std::string & target_frame) = 0;
  virtual void setTargetFrames(const V_string & target_frames) = 0;
  virtual void setTolerance(const rclcpp::Duration & tolerance) = 0;
};

/// Holds messages until the transforms from their frames to all target frames are known, and then passes them on.
///
/// A message is dropped if its transforms can't be known any more, if they are not known within the timeout, or if the queue
/// is full: then the oldest one. Messages are passed on by the thread that adds the message or the last missing transform.
/// The destructor waits for a callback that runs on another thread.
template<class M, class BufferT = tf2_ros::Buffer>
class MessageFilter : public MessageFilterBase, public message_filters::SimpleFilter<M>
{
  static_assert(
    std::is_base_of_v<tf2::BufferCoreInterface, BufferT>, "Buffer type must implement tf2::BufferCoreInterface");
  static_assert(
    std::is_base_of_v<tf2_ros::AsyncBufferInterface, BufferT>,
    "Buffer type must implement tf2_ros::AsyncBufferInterface");

  template<typename Rep, typename Period>
  using Timeout = std::chrono::duration<Rep, Period>;

public:
  using MConstPtr = std::shared_ptr<M const>;
  typedef message_filters::MessageEvent<M const> MEvent;
  using FailureCallback = std::function<void (const MConstPtr &, FilterFailureReason)>;

  /// A filter whose messages come from add() or connectInput(). A queue size of 0 is no limit.
  template<typename NodeT, typename TimeRepT = std::int64_t, typename TimeT = std::nano>
  MessageFilter(
    BufferT & buffer, const std::string & target_frame, std::uint32_t queue_size, const std::shared_ptr<NodeT> & node,
    Timeout<TimeRepT, TimeT> buffer_timeout = Timeout<TimeRepT, TimeT>::max())
  : MessageFilter(
      buffer, target_frame, queue_size, node->get_node_logging_interface(), node->get_node_clock_interface(),
      buffer_timeout)
  {
  }

  template<typename TimeRepT = std::int64_t, typename TimeT = std::nano>
  MessageFilter(
    BufferT & buffer, const std::string & target_frame, std::uint32_t queue_size,
    const rclcpp::node_interfaces::NodeLoggingInterface::SharedPtr & node_logging,
    const rclcpp::node_interfaces::NodeClockInterface::SharedPtr & node_clock,
    Timeout<TimeRepT, TimeT> buffer_timeout = Timeout<TimeRepT, TimeT>::max())
  : node_clock_(node_clock),
    queue_(impl::MessageQueue::create(
        {buffer, buffer, node_logging, impl::saturated(buffer_timeout)}, queue_size,
        [this](const std::shared_ptr<void> & event) {this->signalMessage(*static_cast<const MEvent *>(event.get()));}))
  {
    setTargetFrame(target_frame);
  }

  /// A filter whose messages come from another filter.
  template<class F, typename NodeT, typename TimeRepT = std::int64_t, typename TimeT = std::nano>
  MessageFilter(
    F & f, BufferT & buffer, const std::string & target_frame, std::uint32_t queue_size,
    const std::shared_ptr<NodeT> & node, Timeout<TimeRepT, TimeT> buffer_timeout = Timeout<TimeRepT, TimeT>::max())
  : MessageFilter(buffer, target_frame, queue_size, node, buffer_timeout)
  {
    connectInput(f);
  }

  template<class F, typename TimeRepT = std::int64_t, typename TimeT = std::nano>
  MessageFilter(
    F & f, BufferT & buffer, const std::string & target_frame, std::uint32_t queue_size,
    const rclcpp::node_interfaces::NodeLoggingInterface::SharedPtr & node_logging,
    const rclcpp::node_interfaces::NodeClockInterface::SharedPtr & node_clock,
    Timeout<TimeRepT, TimeT> buffer_timeout = Timeout<TimeRepT, TimeT>::max())
  : MessageFilter(buffer, target_frame, queue_size, node_logging, node_clock, buffer_timeout)
  {
    connectInput(f);
  }

  ~MessageFilter() override
  {
    message_connection_.disconnect();
    queue_->close();
  }

  /// Connects the input to another filter, in place of the one before.
  template<class F>
  void connectInput(F & f)
  {
    message_connection_.disconnect();
    message_connection_ = f.registerCallback(
      std::function<void (const MEvent &)>([this](const MEvent & event) {add(event);}));
  }

  void setTargetFrame(const std::string & target_frame) override {setTargetFrames({target_frame});}

  /// Sets the target frames of later messages. Without any, messages are dropped.
  void setTargetFrames(const V_string & target_frames) override {queue_->setTargetFrames(target_frames);}

  /// Returns the target frames, with a space after each.
  std::string getTargetFramesString() {return queue_->targetFramesString();}

  /// Sets for how long after its time the transforms of a message must also be known.
  void setTolerance(const rclcpp::Duration & tolerance) override {queue_->setTolerance(fromRclcpp(tolerance));}

  /// Drops all messages.
  void clear() override {queue_->clear();}

  /// Adds a message as the input does.
  void add(const MEvent & evt)
  {
    namespace traits = message_filters::message_traits;
    const auto message = evt.getMessage();
    queue_->add(
      std::make_shared<MEvent>(evt), traits::FrameId<M>::value(*message),
      fromRclcpp(traits::TimeStamp<M>::value(*message)));
  }

  void add(const MConstPtr & message) {add(MEvent(message, node_clock_->get_clock()->now()));}

  /// Registers a callback for messages that are dropped.
  message_filters::Connection registerFailureCallback(const FailureCallback & callback)
  {
    return queue_->addFailureCallback(
      [callback](const std::shared_ptr<void> & event, FilterFailureReason reason) {
        callback(static_cast<const MEvent *>(event.get())->getMessage(), reason);
      });
  }

  virtual void setQueueSize(std::uint32_t new_queue_size) {queue_->setSize(new_queue_size);}
  virtual std::uint32_t getQueueSize() {return queue_->size();}

private:
  const rclcpp::node_interfaces::NodeClockInterface::SharedPtr node_clock_;
  const std::shared_ptr<impl::MessageQueue> queue_;
  message_filters::Connection message_connection_;
};

}  // namespace tf2_ros

#endif
