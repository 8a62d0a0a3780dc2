// A callback that is registered at a filter.
#ifndef MESSAGE_FILTERS_CONNECTION_HPP_
#define MESSAGE_FILTERS_CONNECTION_HPP_

#include <functional>

#include "message_filters/visibility_control.hpp"

namespace message_filters
{

/// A base of classes whose objects can't be copied.
class noncopyable
{
protected:
  noncopyable() = default;
  ~noncopyable() = default;
  noncopyable(const noncopyable &) = delete;
  noncopyable & operator=(const noncopyable &) = delete;
};

/// A callback that is registered at a filter; copies mean the same callback.
class MESSAGE_FILTERS_PUBLIC Connection
{
public:
  using VoidDisconnectFunction = std::function<void ()>;
  using WithConnectionDisconnectFunction = std::function<void (const Connection &)>;

  /// A connection to nothing.
  Connection() = default;

  /// A connection that `disconnect` ends.
  Connection(const VoidDisconnectFunction & disconnect);  // NOLINT(runtime/explicit)

  /// Removes the callback, also after the filter has been destroyed.
  ///
  /// After it, the callback does not run and is never called again. If it runs on another thread, this waits for its
  /// end. The callback itself may call this.
  void disconnect();

private:
  VoidDisconnectFunction disconnect_;
};

}  // namespace message_filters

#endif
