// What the policies have in common.
#ifndef MESSAGE_FILTERS_IMPL_POLICY_HPP_
#define MESSAGE_FILTERS_IMPL_POLICY_HPP_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>

#include "message_filters/impl/output.hpp"
#include "message_filters/impl/runner.hpp"
#include "message_filters/impl/support.hpp"
#include "message_filters/message_traits.hpp"
#include "message_filters/synchronizer.hpp"

namespace message_filters
{
namespace impl
{

/// Calls callbacks with the events of a set; a missing event has no message.
template<class Events>
class SetCaller
{
public:
  template<class Call>
  static void call(const Output & output, Call && call)
  {
    callEach(output, call, std::make_index_sequence<std::tuple_size_v<Events>>{});
  }

private:
  template<class Call, std::size_t ... Is>
  static void callEach(const Output & output, Call & call, std::index_sequence<Is...>)
  {
    call(event<Is>(output)...);
  }

  template<std::size_t I>
  static const std::tuple_element_t<I, Events> & event(const Output & output)
  {
    static const std::tuple_element_t<I, Events> none;
    const bool is_set = I < output.events.size() && output.events[I];
    return is_set ? *static_cast<const std::tuple_element_t<I, Events> *>(output.events[I].get()) : none;
  }
};

/// A policy that passes messages to a filter `Core` without types, and its sets to the synchronizer.
template<class Policy, class Core, class ... Ms>
class CorePolicy : public PolicyBase<Ms...>
{
public:
  typedef Synchronizer<Policy> Sync;
  typedef PolicyBase<Ms...> Super;
  typedef typename Super::Messages Messages;
  typedef typename Super::Events Events;
  typedef typename Super::Signal Signal;
  typedef typename Super::RealTypeCount RealTypeCount;
  typedef Events Tuple;

  /// Sets the synchronizer that calls the callbacks.
  void initParent(Sync * parent)
  {
    parent_ = parent;
  }

protected:
  explicit CorePolicy(Core core)
  : runner_(std::move(core)) {}

  /// Adds an event by `change`, and calls the callbacks with the complete sets, and `drop` with the others.
  template<class Change, class Drop>
  void take(Change && change, Drop && drop)
  {
    if (!parent_) {
      throwNoSynchronizer();
    }
    runner_.take(
      change, [this, &drop](const Output & output) {
        if (!output.is_complete) {
          return drop(output);
        }
        SetCaller<Events>::call(output, [this](const auto & ... events) {parent_->signal(events ...);});
      });
  }

  template<class Change>
  void take(Change && change)
  {
    take(change, [](const Output &) {});
  }

  /// Returns a copy of an event without its type.
  template<class M>
  static Event hold(const MessageEvent<M const> & event)
  {
    return std::make_shared<const MessageEvent<M const>>(event);
  }

  /// Returns the stamp of a message in nanoseconds.
  template<class M>
  static std::int64_t stampOf(const MessageEvent<M const> & event)
  {
    return message_traits::TimeStamp<M>::value(*event.getConstMessage()).nanoseconds();
  }

  Runner<Core> & runner()
  {
    return runner_;
  }
  const Runner<Core> & runner() const
  {
    return runner_;
  }

private:
  Sync * parent_ = nullptr;
  Runner<Core> runner_;
};

}  // namespace impl
}  // namespace message_filters

#endif
