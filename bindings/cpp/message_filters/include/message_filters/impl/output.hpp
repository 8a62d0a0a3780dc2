// What filters of several inputs give out, without types.
#ifndef MESSAGE_FILTERS_IMPL_OUTPUT_HPP_
#define MESSAGE_FILTERS_IMPL_OUTPUT_HPP_

#include <deque>
#include <memory>
#include <vector>

namespace message_filters
{
namespace impl
{

/// A `MessageEvent<M const>` without its type.
using Event = std::shared_ptr<const void>;

/// A set of messages.
struct Output
{
  /// Whether each input has a message. If not, the filter has dropped these messages.
  bool is_complete;
  /// The event of each input; null if there is none.
  std::vector<Event> events;
};

/// The sets that are not delivered yet.
using Outputs = std::deque<Output>;

}  // namespace impl
}  // namespace message_filters

#endif
