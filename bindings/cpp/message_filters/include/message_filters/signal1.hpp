// The callbacks of a filter with one output.
#ifndef MESSAGE_FILTERS_SIGNAL1_HPP_
#define MESSAGE_FILTERS_SIGNAL1_HPP_

#include <functional>
#include <memory>
#include <type_traits>

#include "message_filters/connection.hpp"
#include "message_filters/impl/callback.hpp"
#include "message_filters/message_event.hpp"
#include "message_filters/parameter_adapter.hpp"

namespace message_filters
{

/// The type of a registered callback.
template<class M>
struct CallbackHelper1
{
  typedef std::shared_ptr<impl::CallbackBase> Ptr;
};

/// The callbacks of a filter with one output.
template<class M>
class Signal1
{
public:
  /// Adds a callback that takes a parameter `P`.
  template<typename P>
  typename CallbackHelper1<M>::Ptr addCallback(const std::function<void (P)> & callback)
  {
    return add(callback);
  }

  /// Adds a callback.
  template<typename C>
  typename CallbackHelper1<M>::Ptr addCallback(const C & callback)
  {
    return add<std::decay_t<const C &>>(callback);
  }

  /// Adds a callback, and returns its connection.
  template<typename C>
  Connection connect(const C & callback)
  {
    return callbacks_.template connect<std::decay_t<const C &>>(callback);
  }

  /// Adds a member function of an object as a callback, and returns its connection.
  template<typename Member, typename T>
  Connection connect(Member member, T * object)
  {
    return callbacks_.connect(member, object);
  }

  /// Removes a callback. If it runs on another thread, this waits for its end.
  void removeCallback(const typename CallbackHelper1<M>::Ptr & callback)
  {
    callbacks_.callbacks().remove(callback);
  }

  /// Calls the callbacks.
  void call(const MessageEvent<M const> & event)
  {
    callbacks_.call(event);
  }

private:
  template<typename F>
  typename CallbackHelper1<M>::Ptr add(F callback)
  {
    const auto added = callbacks_.makeCallback(callback);
    callbacks_.callbacks().add(added);
    return added;
  }

  impl::EventSignal<M> callbacks_;
};

}  // namespace message_filters

#endif
