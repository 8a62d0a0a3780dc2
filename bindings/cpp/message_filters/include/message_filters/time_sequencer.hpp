// Messages in the order of their stamps.
#ifndef MESSAGE_FILTERS_TIME_SEQUENCER_HPP_
#define MESSAGE_FILTERS_TIME_SEQUENCER_HPP_

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>

#include <rclcpp/clock.hpp>
#include <rclcpp/duration.hpp>
#include <rclcpp/node.hpp>
#include <rclcpp/timer.hpp>

#include "message_filters/impl/input.hpp"
#include "message_filters/impl/link.hpp"
#include "message_filters/impl/saturating.hpp"
#include "message_filters/impl/time_order.hpp"
#include "message_filters/message_event.hpp"
#include "message_filters/message_traits.hpp"
#include "message_filters/simple_filter.hpp"

namespace message_filters
{

/// Passes messages on in the order of their stamps, each when it is at least `delay` old.
///
/// A message is dropped if one with a later stamp was already passed on. At most `queue_size` messages wait, 0 means
/// without a limit; if more come, the earliest one is dropped. The age is measured by the clock of the node.
template<class M>
class TimeSequencer : public SimpleFilter<M>
{
public:
  typedef std::shared_ptr<M const> MConstPtr;
  typedef MessageEvent<M const> EventType;

  /// Connects the input to another filter. Looks every `update_rate` whether messages are old enough.
  template<class F, class NodePtr>
  TimeSequencer(
    F & filter, rclcpp::Duration delay, rclcpp::Duration update_rate, std::uint32_t queue_size, NodePtr node)
  : TimeSequencer(delay, update_rate, queue_size, node)
  {
    connectInput(filter);
  }

  /// Looks every `update_rate` whether messages are old enough.
  template<class NodePtr>
  TimeSequencer(rclcpp::Duration delay, rclcpp::Duration update_rate, std::uint32_t queue_size, NodePtr node)
  : delay_(delay.nanoseconds()), clock_(node->get_clock()), link_(std::make_shared<Link>(*this))
  {
    waiting_.setSize(queue_size);
    timer_ = node->create_wall_timer(
      std::chrono::nanoseconds(update_rate.nanoseconds()), [link = link_] {dispatch(link);});
  }

  ~TimeSequencer()
  {
    timer_->cancel();
    link_->close();
  }

  /// Connects the input to another filter, in place of the one before.
  template<class F>
  void connectInput(F & filter)
  {
    input_.connect(filter, [this](const EventType & event) {add(event);});
  }

  /// Adds the message of an event.
  void add(const EventType & event)
  {
    const std::int64_t stamp =
      message_traits::TimeStamp<M>::value(*event.getConstMessage()).nanoseconds();
    std::lock_guard<std::mutex> lock(mutex_);
    if (stamp >= last_stamp_) {
      waiting_.add(stamp, std::make_shared<const EventType>(event));
    }
  }

  /// Adds a message.
  void add(const MConstPtr & message)
  {
    add(EventType(message));
  }

private:
  using Link = impl::Link<TimeSequencer>;

  static void dispatch(std::shared_ptr<Link> link)
  {
    link->repeat(
      [now = std::optional<std::int64_t>()](TimeSequencer & sequencer) mutable {
        now = now ? now : sequencer.clock_->now().nanoseconds();
        return sequencer.dispatchNext(*now);
      });
  }

  // Passes the next message on, if it is old enough. Returns false if it is not.
  bool dispatchNext(std::int64_t now)
  {
    impl::Event next;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (waiting_.empty() || impl::add(waiting_.front().stamp, delay_) > now) {
        return false;
      }
      impl::TimeOrder::Item item = waiting_.popFront();
      last_stamp_ = item.stamp;
      next = item.message;
    }
    this->signalMessage(*static_cast<const EventType *>(next.get()));
    return true;
  }

  const std::int64_t delay_;
  const rclcpp::Clock::SharedPtr clock_;
  std::mutex mutex_;
  impl::TimeOrder waiting_;
  // The stamp of the message that was passed on last.
  std::int64_t last_stamp_ = std::numeric_limits<std::int64_t>::min();
  const std::shared_ptr<Link> link_;
  rclcpp::TimerBase::SharedPtr timer_;
  impl::Input<M> input_;
};

}  // namespace message_filters

#endif
