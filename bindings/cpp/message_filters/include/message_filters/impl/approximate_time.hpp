// Sets of messages with similar stamps, without types.
#ifndef MESSAGE_FILTERS_IMPL_APPROXIMATE_TIME_HPP_
#define MESSAGE_FILTERS_IMPL_APPROXIMATE_TIME_HPP_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <vector>

#include "message_filters/impl/output.hpp"
#include "message_filters/visibility_control.hpp"

namespace message_filters
{
namespace impl
{

/// Makes sets of messages with similar stamps, one of each input. All times are in nanoseconds.
///
/// - Each message is in at most one set.
/// - Sets do not cross: each message of a set is later than the message of that input in the set before.
/// - A set contains its pivot: of the first messages of all inputs after the set before, the one with the latest stamp.
/// - Without an age penalty, it is the set around the pivot with the shortest interval from its first to its last stamp.
/// - It is given out as soon as later messages can't change it.
///
/// At most `queue_size` messages of each input wait. If more come, the earliest one is dropped.
class MESSAGE_FILTERS_PUBLIC ApproximateTime
{
public:
  /// Throws std::invalid_argument if `inputs` or `queue_size` is 0.
  ApproximateTime(std::size_t inputs, std::size_t queue_size);

  /// Sets how much an earlier set is preferred to a later one with a shorter interval. Values below 0 count as 0.
  void setAgePenalty(double penalty);

  /// Sets the longest interval between the first and the last stamp of a set.
  void setMaxInterval(std::int64_t interval);

  /// Sets the shortest time between two messages of an input; throws std::out_of_range if there is no such input.
  void setLowerBound(std::size_t input, std::int64_t bound);

  /// Adds a message. Adds each set that is now known to `outputs`.
  void add(std::size_t input, std::int64_t stamp, Event event, Outputs & outputs);

private:
  struct Message
  {
    std::int64_t stamp;
    Event event;
  };

  // The messages of an input that wait, the earliest first.
  struct Queue
  {
    std::deque<Message> messages;
    // The number of messages that the search has passed. If there is a candidate, the first message belongs to it.
    std::size_t passed = 0;
    // Whether a message was dropped that might have been in the next set.
    bool has_dropped = false;
    std::int64_t lower_bound = 0;
    bool has_warned = false;

    bool isPassed() const {return passed == messages.size();}
    std::int64_t front() const {return messages[passed].stamp;}
    std::int64_t frontOrBound(std::int64_t pivot) const;
    void checkStamp(std::size_t input, std::int64_t stamp);
  };

  // An input and its stamp.
  struct Edge
  {
    std::size_t input;
    std::int64_t stamp;
  };

  // The earliest and the latest stamp.
  struct Edges
  {
    Edge start;
    Edge end;
  };

  // The best set so far: the first message of each queue.
  struct Candidate
  {
    std::int64_t start;
    std::int64_t end;
    Edge pivot;
  };

  template<class StampOf>
  Edges edges(StampOf stamp_of) const;
  Edges fronts() const;
  Edges bounds() const;
  bool hasPassedAnInput() const;
  void search(Outputs & outputs);
  bool dropStartOfNoSet(const Edges & edges);
  void improveCandidate(const Edges & edges);
  void makeCandidate(const Edges & edges, const Edge & pivot);
  bool isBest(std::int64_t end) const;
  std::int64_t penalized(std::int64_t end) const;
  void searchBounds(Outputs & outputs);
  void giveOut(Outputs & outputs);
  void dropEarliest(std::size_t input);

  std::vector<Queue> queues_;
  std::size_t queue_size_;
  double age_penalty_ = 0.1;
  std::int64_t max_interval_ = std::numeric_limits<std::int64_t>::max();
  std::optional<Candidate> candidate_;
};

}  // namespace impl
}  // namespace message_filters

#endif
