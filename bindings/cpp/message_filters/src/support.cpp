#include "message_filters/impl/support.hpp"

#include <chrono>
#include <stdexcept>

namespace message_filters
{
namespace impl
{

std::int64_t systemNow()
{
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count();
}

void throwNoMessage()
{
  throw std::runtime_error(
    "message_filters: a callback takes a reference to a message that did not come; let it take a shared_ptr, which is "
    "null then");
}

void throwNoSynchronizer()
{
  throw std::logic_error(
    "message_filters: a message was added to a policy that belongs to no synchronizer; add it to a Synchronizer");
}

}  // namespace impl
}  // namespace message_filters
