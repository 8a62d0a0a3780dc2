// Functions that need no templates.
#ifndef MESSAGE_FILTERS_IMPL_SUPPORT_HPP_
#define MESSAGE_FILTERS_IMPL_SUPPORT_HPP_

#include <cstdint>

#include "message_filters/visibility_control.hpp"

namespace message_filters
{
namespace impl
{

/// Returns the time of the system in nanoseconds since 1970.
MESSAGE_FILTERS_PUBLIC std::int64_t systemNow();

/// Throws std::runtime_error: a callback takes a reference to a message that did not come.
[[noreturn]] MESSAGE_FILTERS_PUBLIC void throwNoMessage();

/// Throws std::logic_error: a policy was used without a synchronizer.
[[noreturn]] MESSAGE_FILTERS_PUBLIC void throwNoSynchronizer();

}  // namespace impl
}  // namespace message_filters

#endif
