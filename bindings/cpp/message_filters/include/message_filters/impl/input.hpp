// The input of a filter.
#ifndef MESSAGE_FILTERS_IMPL_INPUT_HPP_
#define MESSAGE_FILTERS_IMPL_INPUT_HPP_

#include <functional>
#include <utility>

#include "message_filters/connection.hpp"
#include "message_filters/message_event.hpp"

namespace message_filters
{
namespace impl
{

/// The connection of a filter to the one before it. One thread at a time may connect and disconnect.
///
/// Its end disconnects: let it be the last member of the filter.
template<class M>
class Input : public noncopyable
{
public:
  Input() = default;

  ~Input()
  {
    disconnect();
  }

  /// Ends the connection. Waits until the callback does not run on another thread.
  void disconnect()
  {
    connection_.disconnect();
  }

  /// Calls `callback` with the events of another filter, and no more with those of the filter before.
  template<class F, class Callback>
  void connect(F & filter, Callback callback)
  {
    disconnect();
    connection_ =
      filter.registerCallback(std::function<void (const MessageEvent<M const> &)>(std::move(callback)));
  }

private:
  Connection connection_;
};

}  // namespace impl
}  // namespace message_filters

#endif
