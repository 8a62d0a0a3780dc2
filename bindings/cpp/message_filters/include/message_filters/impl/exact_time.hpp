// Sets of messages with equal stamps, without types.
#ifndef MESSAGE_FILTERS_IMPL_EXACT_TIME_HPP_
#define MESSAGE_FILTERS_IMPL_EXACT_TIME_HPP_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "message_filters/impl/output.hpp"
#include "message_filters/visibility_control.hpp"

namespace message_filters
{
namespace impl
{

/// Makes sets of messages that have the same stamp, one of each input.
///
/// At most `queue_size` stamps wait for more messages; 0 means without a limit. When a set is complete, the messages
/// with earlier stamps are dropped. The dropped messages of each stamp are given out.
class MESSAGE_FILTERS_PUBLIC ExactTime
{
public:
  ExactTime(std::size_t inputs, std::size_t queue_size);

  /// Adds a message. It replaces another message of the input with the same stamp.
  void add(std::size_t input, std::int64_t stamp, Event event, Outputs & outputs);

  /// Returns the stamp of the last complete set; 0 before the first one.
  std::int64_t lastStamp() const {return last_stamp_;}

private:
  using Sets = std::map<std::int64_t, std::vector<Event>>;

  void dropBefore(Sets::iterator end, Outputs & outputs);

  std::size_t inputs_;
  std::size_t queue_size_;
  Sets sets_;
  std::int64_t last_stamp_ = 0;
};

}  // namespace impl
}  // namespace message_filters

#endif
