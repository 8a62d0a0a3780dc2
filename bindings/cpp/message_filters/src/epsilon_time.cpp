#include "message_filters/impl/epsilon_time.hpp"

#include <algorithm>

#include "message_filters/impl/saturating.hpp"

namespace message_filters
{
namespace impl
{

EpsilonTime::EpsilonTime(std::size_t inputs, std::size_t queue_size, std::int64_t epsilon)
: queues_(inputs), queue_size_(queue_size), epsilon_(std::max<std::int64_t>(0, epsilon))
{
}

void EpsilonTime::add(std::size_t input, std::int64_t stamp, Event event, Outputs & outputs)
{
  Queue & queue = queues_[input];
  queue.emplace_back(stamp, std::move(event));
  if (!isComplete() && queue.size() > queue_size_) {
    queue.pop_front();
  }
  while (isComplete()) {
    takeFirst(outputs);
  }
}

// Whether each input has a message.
bool EpsilonTime::isComplete() const
{
  return std::none_of(queues_.begin(), queues_.end(), [](const Queue & queue) {return queue.empty();});
}

// Removes the first messages that are within the tolerance. If these are all of them, gives them out.
void EpsilonTime::takeFirst(Outputs & outputs)
{
  const auto is_earlier = [](const Queue & a, const Queue & b) {return a.front().first < b.front().first;};
  const auto earliest = std::min_element(queues_.begin(), queues_.end(), is_earlier);
  const std::int64_t last = impl::add(earliest->front().first, epsilon_);
  Output output{true, {}};
  for (Queue & queue : queues_) {
    if (queue.front().first <= last) {
      output.events.push_back(std::move(queue.front().second));
      queue.pop_front();
    }
  }
  if (output.events.size() == queues_.size()) {
    outputs.push_back(std::move(output));
  }
}

}  // namespace impl
}  // namespace message_filters
