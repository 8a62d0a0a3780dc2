#include "message_filters/impl/approximate_time.hpp"

#include <algorithm>
#include <cinttypes>
#include <stdexcept>
#include <utility>

#include "message_filters/impl/saturating.hpp"
#include "rcutils/logging_macros.h"

namespace message_filters
{
namespace impl
{

// The stamp of the first message that the search has not passed; if it has not come yet, the earliest one it may have.
std::int64_t ApproximateTime::Queue::frontOrBound(std::int64_t pivot) const
{
  if (!isPassed()) {
    return front();
  }
  return messages.empty() ? pivot : std::max(impl::add(messages.back().stamp, lower_bound), pivot);
}

// Warns once if a message comes too close after the one before it.
void ApproximateTime::Queue::checkStamp(std::size_t input, std::int64_t stamp)
{
  if (has_warned || messages.empty() || stamp >= impl::add(messages.back().stamp, lower_bound)) {
    return;
  }
  has_warned = true;
  RCUTILS_LOG_WARN_NAMED(
    "message_filters",
    "ApproximateTime: a message of input %zu is %" PRId64 " ns later than the one before it, expected at least %" PRId64
    " ns; the sets may not be the best ones (logged once)",
    input, subtract(stamp, messages.back().stamp), lower_bound);
}

ApproximateTime::ApproximateTime(std::size_t inputs, std::size_t queue_size)
: queues_(inputs), queue_size_(queue_size)
{
  if (inputs == 0 || queue_size == 0) {
    throw std::invalid_argument("ApproximateTime: expected at least one input and a queue size of at least 1");
  }
}

void ApproximateTime::setAgePenalty(double penalty)
{
  age_penalty_ = std::max(0.0, penalty);
}

void ApproximateTime::setMaxInterval(std::int64_t interval)
{
  max_interval_ = std::max<std::int64_t>(0, interval);
}

void ApproximateTime::setLowerBound(std::size_t input, std::int64_t bound)
{
  queues_.at(input).lower_bound = std::max<std::int64_t>(0, bound);
}

void ApproximateTime::add(std::size_t input, std::int64_t stamp, Event event, Outputs & outputs)
{
  Queue & queue = queues_[input];
  queue.checkStamp(input, stamp);
  const bool was_passed = queue.isPassed();
  queue.messages.push_back({stamp, std::move(event)});
  if (was_passed) {
    search(outputs);
  }
  if (queue.messages.size() > queue_size_) {
    dropEarliest(input);
    // The dropped message belonged to the candidate.
    if (candidate_) {
      candidate_.reset();
      search(outputs);
    }
  }
}

void ApproximateTime::dropEarliest(std::size_t input)
{
  for (Queue & queue : queues_) {
    queue.passed = 0;
  }
  queues_[input].messages.pop_front();
  queues_[input].has_dropped = true;
}

// The first input of those with the earliest stamp, and the last one of those with the latest stamp.
template<class StampOf>
ApproximateTime::Edges ApproximateTime::edges(StampOf stamp_of) const
{
  const Edge first{0, stamp_of(queues_[0])};
  Edges edges{first, first};
  for (std::size_t input = 1; input < queues_.size(); ++input) {
    const Edge edge{input, stamp_of(queues_[input])};
    if (edge.stamp < edges.start.stamp) {
      edges.start = edge;
    }
    if (edge.stamp >= edges.end.stamp) {
      edges.end = edge;
    }
  }
  return edges;
}

ApproximateTime::Edges ApproximateTime::fronts() const
{
  return edges([](const Queue & queue) {return queue.front();});
}

ApproximateTime::Edges ApproximateTime::bounds() const
{
  return edges([pivot = candidate_->pivot.stamp](const Queue & queue) {return queue.frontOrBound(pivot);});
}

// Whether the search has passed all messages of an input.
bool ApproximateTime::hasPassedAnInput() const
{
  return std::any_of(queues_.begin(), queues_.end(), [](const Queue & queue) {return queue.isPassed();});
}

void ApproximateTime::search(Outputs & outputs)
{
  while (!hasPassedAnInput()) {
    const Edges edges = fronts();
    for (std::size_t input = 0; input < queues_.size(); ++input) {
      queues_[input].has_dropped &= input == edges.end.input;
    }
    if (!candidate_ && dropStartOfNoSet(edges)) {
      continue;
    }
    improveCandidate(edges);
    ++queues_[edges.start.input].passed;
    if (edges.start.input == candidate_->pivot.input || isBest(edges.end.stamp)) {
      giveOut(outputs);
    } else if (hasPassedAnInput()) {
      searchBounds(outputs);
    }
  }
}

// Returns false if the first messages are a set. Otherwise the earliest one can't be in a set, and is dropped.
bool ApproximateTime::dropStartOfNoSet(const Edges & edges)
{
  // If the last message of the set follows on a dropped one, that one may have been better for an earlier set.
  const bool is_set = subtract(edges.end.stamp, edges.start.stamp) <= max_interval_ &&
    !queues_[edges.end.input].has_dropped;
  if (!is_set) {
    queues_[edges.start.input].messages.pop_front();
  }
  return !is_set;
}

void ApproximateTime::improveCandidate(const Edges & edges)
{
  if (!candidate_) {
    makeCandidate(edges, edges.end);
  } else if (penalized(edges.end.stamp) < subtract(edges.start.stamp, candidate_->start)) {
    makeCandidate(edges, candidate_->pivot);
  }
}

// Makes the first messages that the search has not passed the candidate. Drops those before them.
void ApproximateTime::makeCandidate(const Edges & edges, const Edge & pivot)
{
  for (Queue & queue : queues_) {
    queue.messages.erase(
      queue.messages.begin(), queue.messages.begin() + static_cast<std::ptrdiff_t>(queue.passed));
    queue.passed = 0;
  }
  candidate_ = Candidate{edges.start.stamp, edges.end.stamp, pivot};
}

// How much later than the candidate a set ends, with the penalty for its age.
std::int64_t ApproximateTime::penalized(std::int64_t end) const
{
  return truncate(static_cast<double>(subtract(end, candidate_->end)) * (1.0 + age_penalty_));
}

// Whether no set that ends at `end` or later is better than the candidate.
bool ApproximateTime::isBest(std::int64_t end) const
{
  return penalized(end) >= subtract(candidate_->pivot.stamp, candidate_->start);
}

void ApproximateTime::giveOut(Outputs & outputs)
{
  candidate_.reset();
  Output output{true, {}};
  output.events.reserve(queues_.size());
  for (Queue & queue : queues_) {
    queue.passed = 0;
    output.events.push_back(std::move(queue.messages.front().event));
    queue.messages.pop_front();
  }
  outputs.push_back(std::move(output));
}

// Continues the search although an input has no more messages, with the earliest stamps that its next ones may have.
void ApproximateTime::searchBounds(Outputs & outputs)
{
  std::vector<std::size_t> passed;
  for (const Queue & queue : queues_) {
    passed.push_back(queue.passed);
  }
  for (;;) {
    const Edges edges = bounds();
    if (isBest(edges.end.stamp)) {
      return giveOut(outputs);
    }
    if (penalized(edges.end.stamp) < subtract(edges.start.stamp, candidate_->start)) {
      break;
    }
    // The message of `start` has come: a stamp that is only a bound is not before the pivot.
    ++queues_[edges.start.input].passed;
  }
  for (std::size_t input = 0; input < queues_.size(); ++input) {
    queues_[input].passed = passed[input];
  }
}

}  // namespace impl
}  // namespace message_filters
