// The callbacks of a filter whose output is a set of messages.
#ifndef MESSAGE_FILTERS_SIGNAL9_HPP_
#define MESSAGE_FILTERS_SIGNAL9_HPP_

#include <functional>
#include <memory>
#include <type_traits>

#include "message_filters/connection.hpp"
#include "message_filters/impl/callback.hpp"
#include "message_filters/message_event.hpp"
#include "message_filters/null_types.hpp"
#include "message_filters/parameter_adapter.hpp"

namespace message_filters
{

/// The callbacks of a filter whose output is a set of up to nine messages.
///
/// A callback takes one parameter for each message. It may take nine parameters: those without a message have the type
/// NullType.
template<typename ... Ms>
class Signal9
{
  static_assert(sizeof...(Ms) <= impl::max_messages, "A set has at most nine messages.");

public:
  typedef const std::shared_ptr<NullType const> & NullP;

  /// Adds a callback that takes the parameters `Ps`.
  template<typename ... Ps>
  Connection addCallback(const std::function<void (Ps...)> & callback)
  {
    return callbacks_.connect(callback);
  }

  /// Adds a callback.
  template<typename C>
  Connection addCallback(const C & callback)
  {
    return callbacks_.template connect<std::decay_t<const C &>>(callback);
  }

  /// Adds a member function of an object as a callback.
  template<typename Member, typename T>
  Connection addCallback(Member callback, T * object)
  {
    return callbacks_.connect(callback, object);
  }

  /// Calls the callbacks.
  void call(const MessageEvent<Ms const> & ... events)
  {
    callbacks_.call(events ...);
  }

private:
  impl::EventSignal<Ms...> callbacks_;
};

}  // namespace message_filters

#endif
