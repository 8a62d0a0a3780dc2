// The base of filters with one output.
#ifndef MESSAGE_FILTERS_SIMPLE_FILTER_HPP_
#define MESSAGE_FILTERS_SIMPLE_FILTER_HPP_

#include <functional>
#include <memory>
#include <string>

#include "message_filters/connection.hpp"
#include "message_filters/message_event.hpp"
#include "message_filters/signal1.hpp"

namespace message_filters
{

/// The base of filters with one output: it registers callbacks and calls them.
///
/// A callback takes one parameter in any form of ParameterAdapter. It may register and remove callbacks and use the
/// filter. One thread at a time calls the callbacks.
template<class M>
class SimpleFilter : public noncopyable
{
public:
  typedef std::shared_ptr<M const> MConstPtr;
  typedef std::function<void (const MConstPtr &)> Callback;
  typedef MessageEvent<M const> EventType;
  typedef std::function<void (const EventType &)> EventCallback;

  /// Registers a callback.
  template<typename C>
  Connection registerCallback(const C & callback)
  {
    return signal_.connect(callback);
  }

  /// Registers a callback that takes a parameter `P`.
  template<typename P>
  Connection registerCallback(const std::function<void (P)> & callback)
  {
    return signal_.connect(callback);
  }

  /// Registers a function as a callback.
  template<typename P>
  Connection registerCallback(void (* callback)(P))
  {
    return signal_.connect(callback);
  }

  /// Registers a member function of an object as a callback.
  template<typename T, typename P>
  Connection registerCallback(void (T::* callback)(P), T * object)
  {
    return signal_.connect(callback, object);
  }

  /// Registers a member function of an object as a callback.
  template<typename C, typename T>
  Connection registerCallback(C callback, T * object)
  {
    return signal_.connect(callback, object);
  }

  /// Sets the name of the filter.
  void setName(const std::string & name)
  {
    name_ = name;
  }

  /// Returns the name of the filter.
  const std::string & getName() const
  {
    return name_;
  }

protected:
  /// Calls the callbacks with a message that comes now.
  void signalMessage(const MConstPtr & message)
  {
    signal_.call(EventType(message));
  }

  /// Calls the callbacks with an event.
  void signalMessage(const EventType & event)
  {
    signal_.call(event);
  }

private:
  Signal1<M> signal_;
  std::string name_;
};

}  // namespace message_filters

#endif
