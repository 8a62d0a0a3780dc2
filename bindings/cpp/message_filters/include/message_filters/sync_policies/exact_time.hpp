// Sets of messages with equal stamps.
#ifndef MESSAGE_FILTERS_SYNC_POLICIES_EXACT_TIME_HPP_
#define MESSAGE_FILTERS_SYNC_POLICIES_EXACT_TIME_HPP_

#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>

#include <rclcpp/time.hpp>

#include "message_filters/connection.hpp"
#include "message_filters/impl/exact_time.hpp"
#include "message_filters/impl/policy.hpp"
#include "message_filters/synchronizer.hpp"

namespace message_filters
{
namespace sync_policies
{

/// Makes sets of messages with equal stamps.
///
/// At most `queue_size` stamps wait for more messages; 0 means without a limit. When a set is complete, the messages
/// with earlier stamps are dropped.
template<typename ... Ms>
class ExactTime : public impl::CorePolicy<ExactTime<Ms...>, impl::ExactTime, Ms...>
{
  using Base = impl::CorePolicy<ExactTime<Ms...>, impl::ExactTime, Ms...>;

public:
  ExactTime(std::uint32_t queue_size)  // NOLINT(runtime/explicit)
  : Base(impl::ExactTime(impl::real_count<Ms...>, queue_size)) {}

  /// The copy has the messages that wait, but not the callbacks.
  ExactTime(const ExactTime & other)
  : Base(other) {}

  ExactTime & operator=(const ExactTime & other)
  {
    Base::operator=(other);
    return *this;
  }

  /// Adds a message of the input `i`. It replaces another message of the input with the same stamp.
  template<int i>
  void add(const std::tuple_element_t<i, typename Base::Events> & event)
  {
    this->take(
      [stamp = this->stampOf(event), held = this->hold(event)](auto & core, impl::Outputs & outputs) mutable {
        core.add(i, stamp, std::move(held), outputs);
      },
      [this](const impl::Output & output) {
        impl::SetCaller<typename Base::Events>::call(
          output, [this](const auto & ... events) {drop_signal_->call(events ...);});
      });
  }

  /// Registers a callback for the dropped messages of each stamp. A message that did not come is null.
  template<class C>
  Connection registerDropCallback(const C & callback)
  {
    return drop_signal_->addCallback(callback);
  }

  /// Registers a member function of an object as a callback for the dropped messages.
  template<class C, typename T>
  Connection registerDropCallback(const C & callback, T * object)
  {
    return drop_signal_->addCallback(callback, object);
  }

  /// Returns the stamp of the last complete set; 0 before the first one.
  rclcpp::Time getLastSignalTime() const
  {
    const auto last_stamp = [](const impl::ExactTime & core) {return core.lastStamp();};
    return rclcpp::Time(this->runner().with(last_stamp), RCL_ROS_TIME);
  }

private:
  const std::unique_ptr<typename Base::Signal> drop_signal_ = std::make_unique<typename Base::Signal>();
};

}  // namespace sync_policies
}  // namespace message_filters

#endif
