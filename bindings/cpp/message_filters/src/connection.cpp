#include "message_filters/connection.hpp"

namespace message_filters
{

Connection::Connection(const VoidDisconnectFunction & disconnect)
: disconnect_(disconnect)
{
}

void Connection::disconnect()
{
  if (disconnect_) {
    disconnect_();
  }
}

}  // namespace message_filters
