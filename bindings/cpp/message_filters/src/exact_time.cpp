#include "message_filters/impl/exact_time.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace message_filters
{
namespace impl
{

ExactTime::ExactTime(std::size_t inputs, std::size_t queue_size)
: inputs_(inputs), queue_size_(queue_size)
{
}

void ExactTime::add(std::size_t input, std::int64_t stamp, Event event, Outputs & outputs)
{
  const auto set = sets_.try_emplace(stamp, inputs_).first;
  std::vector<Event> & events = set->second;
  events[input] = std::move(event);
  if (std::all_of(events.begin(), events.end(), [](const Event & of_input) {return of_input != nullptr;})) {
    last_stamp_ = stamp;
    outputs.push_back({true, std::move(events)});
    const auto later = sets_.erase(set);
    dropBefore(later, outputs);
  } else if (queue_size_ > 0 && sets_.size() > queue_size_) {
    dropBefore(std::next(sets_.begin()), outputs);
  }
}

void ExactTime::dropBefore(Sets::iterator end, Outputs & outputs)
{
  for (auto set = sets_.begin(); set != end; ++set) {
    outputs.push_back({false, std::move(set->second)});
  }
  sets_.erase(sets_.begin(), end);
}

}  // namespace impl
}  // namespace message_filters
