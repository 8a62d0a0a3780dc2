#include "tf2_ros/impl/message_queue.hpp"

#include <utility>

#include "queue_state.hpp"

namespace tf2_ros
{

std::string get_filter_failure_reason_string(filter_failure_reasons::FilterFailureReason reason)
{
  switch (reason) {
    case filter_failure_reasons::OutTheBack:
      return "the timestamp on the message is earlier than all the data in the transform cache";
    case filter_failure_reasons::EmptyFrameID:
      return "the frame id of the message is empty";
    case filter_failure_reasons::NoTransformFound:
      return "did not find a valid transform, this usually happens at startup ...";
    case filter_failure_reasons::QueueFull:
      return "discarding message because the queue is full";
    default:
      return "unknown";
  }
}

namespace impl
{

std::shared_ptr<MessageQueue> MessageQueue::create(Environment environment, std::uint32_t size, Ready ready)
{
  return std::shared_ptr<MessageQueue>(new MessageQueue(std::move(environment), size, std::move(ready)));
}

MessageQueue::MessageQueue(Environment environment, std::uint32_t size, Ready ready)
: state_(std::make_shared<State>(std::move(environment), size, std::move(ready)))
{
}

MessageQueue::~MessageQueue() = default;

void MessageQueue::add(std::shared_ptr<void> event, const std::string & frame, tf2::TimePoint stamp)
{
  state_->add(std::move(event), frame, stamp);
}

void MessageQueue::clear()
{
  state_->clear();
}

void MessageQueue::close()
{
  state_->close();
}

void MessageQueue::setTargetFrames(const std::vector<std::string> & frames)
{
  state_->setTargetFrames(frames);
}

std::string MessageQueue::targetFramesString() const
{
  std::string text;
  for (const auto & frame : state_->targetFrames()) {
    text += frame + " ";
  }
  return text;
}

void MessageQueue::setTolerance(tf2::Duration tolerance)
{
  state_->setTolerance(tolerance);
}

void MessageQueue::setSize(std::uint32_t size)
{
  state_->setSize(size);
}

std::uint32_t MessageQueue::size() const
{
  return state_->size();
}

message_filters::Connection MessageQueue::addFailureCallback(Failed callback)
{
  const auto number = state_->addFailureCallback(std::move(callback));
  const std::weak_ptr<State> weak = state_;
  return message_filters::Connection(
    [weak, number]() {
      if (const auto state = weak.lock()) {
        state->removeFailureCallback(number);
      }
    });
}

}  // namespace impl
}  // namespace tf2_ros
