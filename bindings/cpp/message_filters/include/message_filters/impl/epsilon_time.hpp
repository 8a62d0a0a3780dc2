// Sets of messages within a tolerance, without types.
#ifndef MESSAGE_FILTERS_IMPL_EPSILON_TIME_HPP_
#define MESSAGE_FILTERS_IMPL_EPSILON_TIME_HPP_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "message_filters/impl/output.hpp"
#include "message_filters/visibility_control.hpp"

namespace message_filters
{
namespace impl
{

/// Makes sets of the first messages of all inputs, if each is at most `epsilon` nanoseconds later than the earliest
/// one.
///
/// If they are no set, those within `epsilon` of the earliest one are dropped. At most `queue_size` messages of each
/// input wait for messages of the other inputs. If more come, the earliest one is dropped.
class MESSAGE_FILTERS_PUBLIC EpsilonTime
{
public:
  EpsilonTime(std::size_t inputs, std::size_t queue_size, std::int64_t epsilon);

  /// Adds a message.
  void add(std::size_t input, std::int64_t stamp, Event event, Outputs & outputs);

private:
  using Queue = std::deque<std::pair<std::int64_t, Event>>;

  bool isComplete() const;
  void takeFirst(Outputs & outputs);

  std::vector<Queue> queues_;
  std::size_t queue_size_;
  std::int64_t epsilon_;
};

}  // namespace impl
}  // namespace message_filters

#endif
