// The last messages, by time.
#ifndef MESSAGE_FILTERS_CACHE_HPP_
#define MESSAGE_FILTERS_CACHE_HPP_

#include <memory>
#include <mutex>
#include <type_traits>
#include <vector>

#include <rclcpp/time.hpp>

#include "message_filters/impl/input.hpp"
#include "message_filters/impl/time_order.hpp"
#include "message_filters/message_event.hpp"
#include "message_filters/message_traits.hpp"
#include "message_filters/simple_filter.hpp"

namespace message_filters
{

/// Keeps the messages with the latest stamps, finds them by time, and passes all messages on at once.
template<class M>
class Cache : public SimpleFilter<M>
{
public:
  typedef std::shared_ptr<M const> MConstPtr;
  typedef MessageEvent<M const> EventType;

  /// Connects the input to another filter.
  template<class F, typename = std::enable_if_t<!std::is_convertible_v<F &, unsigned int>>>
  explicit Cache(F & filter, unsigned int cache_size = 1)
  : Cache(cache_size)
  {
    connectInput(filter);
  }

  explicit Cache(unsigned int cache_size = 1)
  {
    messages_.setSize(1);
    setCacheSize(cache_size);
  }

  /// Connects the input to another filter, in place of the one before.
  template<class F>
  void connectInput(F & filter)
  {
    input_.connect(filter, [this](const EventType & event) {add(event);});
  }

  /// Sets the largest number of messages, from the next message on; 0 is ignored.
  void setCacheSize(unsigned int cache_size)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (cache_size > 0) {
      messages_.setSize(cache_size);
    }
  }

  /// Adds a message, and passes it on.
  void add(const MConstPtr & message)
  {
    add(EventType(message));
  }

  /// Adds the message of an event, and passes it on.
  void add(const EventType & event)
  {
    {
      const auto stamp = stampOf(*event.getConstMessage()).nanoseconds();
      std::lock_guard<std::mutex> lock(mutex_);
      messages_.add(stamp, event.getConstMessage());
    }
    this->signalMessage(event);
  }

  /// Returns the messages with stamps from `start` to `end`, both included.
  std::vector<MConstPtr> getInterval(const rclcpp::Time & start, const rclcpp::Time & end) const
  {
    std::lock_guard<std::mutex> lock(mutex_);
    return withType(messages_.interval(start.nanoseconds(), end.nanoseconds()));
  }

  /// Returns the messages of an interval, the last one at or before it, and the first one at or after it.
  std::vector<MConstPtr> getSurroundingInterval(const rclcpp::Time & start, const rclcpp::Time & end) const
  {
    std::lock_guard<std::mutex> lock(mutex_);
    return withType(messages_.surroundingInterval(start.nanoseconds(), end.nanoseconds()));
  }

  /// Returns the last message with a stamp before `time`, or null.
  MConstPtr getElemBeforeTime(const rclcpp::Time & time) const
  {
    std::lock_guard<std::mutex> lock(mutex_);
    return withType(messages_.before(time.nanoseconds()));
  }

  /// Returns the first message with a stamp after `time`, or null.
  MConstPtr getElemAfterTime(const rclcpp::Time & time) const
  {
    std::lock_guard<std::mutex> lock(mutex_);
    return withType(messages_.after(time.nanoseconds()));
  }

  /// Returns the latest stamp; 0 if there are no messages.
  rclcpp::Time getLatestTime() const
  {
    std::lock_guard<std::mutex> lock(mutex_);
    return messages_.empty() ? rclcpp::Time(0, 0, RCL_ROS_TIME) : stampOf(*withType(messages_.back().message));
  }

  /// Returns the earliest stamp; 0 if there are no messages.
  rclcpp::Time getOldestTime() const
  {
    std::lock_guard<std::mutex> lock(mutex_);
    return messages_.empty() ? rclcpp::Time(0, 0, RCL_ROS_TIME) : stampOf(*withType(messages_.front().message));
  }

private:
  static rclcpp::Time stampOf(const M & message)
  {
    return message_traits::TimeStamp<M>::value(message);
  }

  static MConstPtr withType(const impl::Event & message)
  {
    return std::static_pointer_cast<M const>(message);
  }

  static std::vector<MConstPtr> withType(const std::vector<impl::Event> & messages)
  {
    std::vector<MConstPtr> typed;
    typed.reserve(messages.size());
    for (const impl::Event & message : messages) {
      typed.push_back(withType(message));
    }
    return typed;
  }

  mutable std::mutex mutex_;
  impl::TimeOrder messages_;
  impl::Input<M> input_;
};

}  // namespace message_filters

#endif
