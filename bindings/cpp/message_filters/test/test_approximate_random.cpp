// ApproximateTime with random messages: against its definition, and against a plain implementation.
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "message_filters/impl/approximate_time.hpp"
#include "messages.hpp"

namespace
{

using Filter = message_filters::impl::ApproximateTime;
using Sets = std::vector<Stamps>;

Sets run(Filter filter, const std::vector<Arrival> & arrivals)
{
  message_filters::impl::Outputs outputs;
  for (const Arrival & arrival : arrivals) {
    filter.add(arrival.input, arrival.stamp, eventAt(arrival.stamp), outputs);
  }
  return stampsOf(outputs);
}

std::int64_t lengthOf(const Stamps & set)
{
  const auto [first, last] = std::minmax_element(set.begin(), set.end());
  return *last - *first;
}

/// The first stamp of each input from `start` on; empty if an input has none.
Stamps setFrom(const std::vector<Stamps> & waiting, std::int64_t start)
{
  Stamps set;
  for (const Stamps & stamps : waiting) {
    const auto first = std::find_if(stamps.begin(), stamps.end(), [start](auto stamp) {return stamp >= start;});
    if (first == stamps.end()) {
      return {};
    }
    set.push_back(*first);
  }
  return set;
}

/// The set around the pivot with the shortest interval; of several, the earliest. Empty if there is none.
Stamps bestSet(const std::vector<Stamps> & waiting)
{
  std::int64_t pivot = std::numeric_limits<std::int64_t>::min();
  std::set<std::int64_t> starts;
  for (const Stamps & stamps : waiting) {
    if (stamps.empty()) {
      return {};
    }
    pivot = std::max(pivot, stamps.front());
    starts.insert(stamps.begin(), stamps.end());
  }
  Stamps best;
  for (const std::int64_t start : starts) {
    // The pivot is the first message of its input, so it is in each set that begins not after it.
    const Stamps set = start <= pivot ? setFrom(waiting, start) : Stamps();
    if (!set.empty() && (best.empty() || lengthOf(set) < lengthOf(best))) {
      best = set;
    }
  }
  return best;
}

/// All sets by the definition, if no message is dropped.
Sets bestSets(std::size_t inputs, const std::vector<Arrival> & arrivals)
{
  std::vector<Stamps> waiting(inputs);
  for (const Arrival & arrival : arrivals) {
    waiting[arrival.input].push_back(arrival.stamp);
  }
  Sets sets;
  for (Stamps best = bestSet(waiting); !best.empty(); best = bestSet(waiting)) {
    for (std::size_t input = 0; input < inputs; ++input) {
      Stamps & stamps = waiting[input];
      // Of messages with equal stamps, the first one is in the set.
      stamps.erase(stamps.begin(), std::find(stamps.begin(), stamps.end(), best[input]) + 1);
    }
    sets.push_back(best);
  }
  return sets;
}

/// The algorithm without its short cuts: with each message, it looks again at all sets after the candidate.
class Plain
{
public:
  Plain(std::size_t inputs, std::size_t queue_size, double penalty, std::int64_t max_interval, Stamps bounds)
  : waiting_(inputs), has_dropped_(inputs), is_used_up_(inputs, true), queue_size_(queue_size), penalty_(penalty),
    max_interval_(max_interval), bounds_(std::move(bounds)) {}

  Sets add(const Arrival & arrival)
  {
    Sets sets;
    Stamps & own = waiting_[arrival.input];
    own.push_back(arrival.stamp);
    if (is_used_up_[arrival.input]) {
      search(sets);
    }
    if (own.size() > queue_size_) {
      own.erase(own.begin());
      has_dropped_[arrival.input] = true;
      if (candidate_) {
        candidate_.reset();
        search(sets);
      } else {
        is_used_up_[arrival.input] = own.empty();
      }
    }
    return sets;
  }

private:
  using Indices = std::vector<std::size_t>;

  struct Candidate
  {
    std::int64_t start;
    std::int64_t end;
    std::size_t pivot;
    std::int64_t pivot_stamp;
  };

  static std::size_t earliest(const Stamps & set)
  {
    return static_cast<std::size_t>(std::min_element(set.begin(), set.end()) - set.begin());
  }

  static std::size_t latest(const Stamps & set)
  {
    return set.size() - 1 - static_cast<std::size_t>(std::max_element(set.rbegin(), set.rend()) - set.rbegin());
  }

  /// The set at these indices; empty if a message has not come.
  static Stamps setAt(const std::vector<Stamps> & waiting, const Indices & indices)
  {
    Stamps set;
    for (std::size_t input = 0; input < waiting.size(); ++input) {
      if (indices[input] >= waiting[input].size()) {
        return {};
      }
      set.push_back(waiting[input][indices[input]]);
    }
    return set;
  }

  std::int64_t later(std::int64_t end) const
  {
    return static_cast<std::int64_t>(static_cast<double>(end - candidate_->end) * (1.0 + penalty_));
  }

  bool isBetter(const Stamps & set) const
  {
    return later(set[latest(set)]) < set[earliest(set)] - candidate_->start;
  }

  bool canNotImprove(std::int64_t end) const
  {
    return later(end) >= candidate_->pivot_stamp - candidate_->start;
  }

  /// Gives out sets until a message is missing.
  void search(Sets & sets)
  {
    while (searchOne()) {
      sets.push_back(setAt(waiting_, Indices(waiting_.size())));
      candidate_.reset();
      for (Stamps & stamps : waiting_) {
        stamps.erase(stamps.begin());
      }
    }
  }

  /// Whether the first message of each input is a set that is final.
  bool searchOne()
  {
    Indices indices(waiting_.size());
    if (candidate_) {
      ++indices[earliest(setAt(waiting_, indices))];
    }
    for (;;) {
      const Stamps set = setAt(waiting_, indices);
      if (set.empty()) {
        break;
      }
      const std::size_t start = earliest(set);
      clearDropped(latest(set));
      if (!candidate_ && !begin(set)) {
        waiting_[start].erase(waiting_[start].begin());
        continue;
      }
      if (isBetter(set)) {
        improve(set, indices);
      }
      ++indices[start];
      if (start == candidate_->pivot || canNotImprove(set[latest(set)])) {
        return true;
      }
    }
    for (std::size_t input = 0; input < waiting_.size(); ++input) {
      is_used_up_[input] = indices[input] >= waiting_[input].size();
    }
    return candidate_ && isFinal(indices);
  }

  void clearDropped(std::size_t end)
  {
    for (std::size_t input = 0; input < waiting_.size(); ++input) {
      has_dropped_[input] = has_dropped_[input] && input == end;
    }
  }

  /// Makes the first set the candidate, if it may be one.
  bool begin(const Stamps & set)
  {
    const std::size_t pivot = latest(set);
    if (lengthOf(set) > max_interval_ || has_dropped_[pivot]) {
      return false;
    }
    candidate_ = Candidate{set[earliest(set)], set[pivot], pivot, set[pivot]};
    return true;
  }

  void improve(const Stamps & set, Indices & indices)
  {
    candidate_->start = set[earliest(set)];
    candidate_->end = set[latest(set)];
    for (std::size_t input = 0; input < waiting_.size(); ++input) {
      Stamps & stamps = waiting_[input];
      stamps.erase(stamps.begin(), stamps.begin() + static_cast<std::ptrdiff_t>(indices[input]));
      indices[input] = 0;
    }
  }

  /// Whether the candidate stays the best one if each input has its next message as early as it may.
  bool isFinal(Indices indices) const
  {
    std::vector<Stamps> expected = waiting_;
    for (std::size_t input = 0; input < expected.size(); ++input) {
      expected[input].push_back(std::max(expected[input].back() + bounds_[input], candidate_->pivot_stamp));
    }
    for (;;) {
      const Stamps set = setAt(expected, indices);
      if (canNotImprove(set[latest(set)])) {
        return true;
      }
      if (isBetter(set)) {
        return false;
      }
      ++indices[earliest(set)];
    }
  }

  std::vector<Stamps> waiting_;
  std::vector<bool> has_dropped_;
  /// Whether the search has looked at all messages of an input.
  std::vector<bool> is_used_up_;
  std::size_t queue_size_;
  double penalty_;
  std::int64_t max_interval_;
  Stamps bounds_;
  std::optional<Candidate> candidate_;
};

TEST(ApproximateTimeRandom, without_an_age_penalty_the_sets_are_the_best_by_definition)
{
  Random random(1);
  std::size_t count = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::size_t inputs = 1 + static_cast<std::size_t>(random.below(4));
    const auto arrivals = randomArrivals(random, inputs, round % 2 == 0 ? Order::by_stamp : Order::delayed);
    Filter filter(inputs, 1000);
    filter.setAgePenalty(0);
    const Sets found = run(filter, arrivals);
    Sets best = bestSets(inputs, arrivals);
    // The last sets may wait for messages that would never come.
    ASSERT_LE(found.size(), best.size());
    best.resize(found.size());
    ASSERT_EQ(best, found) << testing::PrintToString(arrivals);
    count += found.size();
  }
  EXPECT_GT(count, 20000U);
}

TEST(ApproximateTimeRandom, it_agrees_with_the_plain_implementation)
{
  Random random(2);
  std::size_t count = 0;
  for (int round = 0; round < 60000; ++round) {
    const std::size_t inputs = 1 + static_cast<std::size_t>(random.below(5));
    const std::size_t queue_size = 1 + static_cast<std::size_t>(random.below(7));
    const double penalty = random.below(4) * 0.1;
    const std::int64_t max_interval = random.below(2) == 0 ? 1000 : random.below(40);
    Filter filter(inputs, queue_size);
    filter.setAgePenalty(penalty);
    filter.setMaxInterval(max_interval);
    Stamps bounds;
    for (std::size_t input = 0; input < inputs; ++input) {
      bounds.push_back(random.below(3) * random.below(10));
      filter.setLowerBound(input, bounds.back());
    }
    Plain plain(inputs, queue_size, penalty, max_interval, bounds);
    const auto arrivals = randomArrivals(random, inputs, orderOf(round));
    for (const Arrival & arrival : arrivals) {
      message_filters::impl::Outputs outputs;
      filter.add(arrival.input, arrival.stamp, eventAt(arrival.stamp), outputs);
      const Sets expected = plain.add(arrival);
      ASSERT_EQ(expected, stampsOf(outputs)) << "round " << round << ": " << testing::PrintToString(arrivals);
      count += expected.size();
    }
  }
  EXPECT_GT(count, 60000U);
}

TEST(ApproximateTimeRandom, a_message_is_in_one_set_at_most_and_sets_do_not_cross)
{
  Random random(3);
  for (int round = 0; round < 20000; ++round) {
    const std::size_t inputs = 1 + static_cast<std::size_t>(random.below(5));
    const std::int64_t max_interval = random.below(40);
    Filter filter(inputs, 1 + static_cast<std::size_t>(random.below(6)));
    filter.setMaxInterval(max_interval);
    const Sets sets = run(filter, randomArrivals(random, inputs, Order::delayed));
    for (std::size_t index = 0; index < sets.size(); ++index) {
      ASSERT_EQ(inputs, sets[index].size());
      ASSERT_LE(lengthOf(sets[index]), max_interval);
      for (std::size_t input = 0; index > 0 && input < inputs; ++input) {
        ASSERT_LE(sets[index - 1][input], sets[index][input]);
      }
    }
  }
}

TEST(ApproximateTimeRandom, no_more_messages_wait_than_fit)
{
  Random random(4);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t inputs = 1 + static_cast<std::size_t>(random.below(4));
    const std::size_t queue_size = 1 + static_cast<std::size_t>(random.below(4));
    Filter filter(inputs, queue_size);
    std::vector<std::vector<std::weak_ptr<const void>>> added(inputs);
    for (const Arrival & arrival : randomArrivals(random, inputs, orderOf(round))) {
      message_filters::impl::Outputs outputs;
      const auto event = eventAt(arrival.stamp);
      added[arrival.input].push_back(event);
      filter.add(arrival.input, arrival.stamp, event, outputs);
    }
    for (const auto & events : added) {
      const auto waits = [](const std::weak_ptr<const void> & event) {return !event.expired();};
      ASSERT_LE(static_cast<std::size_t>(std::count_if(events.begin(), events.end(), waits)), queue_size);
    }
  }
}

}  // namespace
