#include "message_filters/impl/time_order.hpp"

#include <algorithm>
#include <utility>

namespace message_filters
{
namespace impl
{

void TimeOrder::add(std::int64_t stamp, Event message)
{
  items_.insert(items_.begin() + static_cast<std::ptrdiff_t>(firstAfter(stamp)), {stamp, std::move(message)});
  while (size_ > 0 && items_.size() > size_) {
    items_.pop_front();
  }
}

TimeOrder::Item TimeOrder::popFront()
{
  Item first = std::move(items_.front());
  items_.pop_front();
  return first;
}

std::vector<Event> TimeOrder::interval(std::int64_t from, std::int64_t to) const
{
  return range(firstFrom(from), firstAfter(to));
}

std::vector<Event> TimeOrder::surroundingInterval(std::int64_t from, std::int64_t to) const
{
  const std::size_t first = firstAfter(from);
  return range(first > 0 ? first - 1 : 0, std::min(firstFrom(to) + 1, items_.size()));
}

Event TimeOrder::before(std::int64_t time) const
{
  const std::size_t end = firstFrom(time);
  return end > 0 ? items_[end - 1].message : nullptr;
}

Event TimeOrder::after(std::int64_t time) const
{
  const std::size_t first = firstAfter(time);
  return first < items_.size() ? items_[first].message : nullptr;
}

// The index of the first message with this stamp or a later one.
std::size_t TimeOrder::firstFrom(std::int64_t stamp) const
{
  const auto is_before = [](const Item & item, std::int64_t time) {return item.stamp < time;};
  const auto first = std::lower_bound(items_.begin(), items_.end(), stamp, is_before);
  return static_cast<std::size_t>(first - items_.begin());
}

// The index of the first message with a later stamp.
std::size_t TimeOrder::firstAfter(std::int64_t stamp) const
{
  const auto is_before = [](std::int64_t time, const Item & item) {return time < item.stamp;};
  const auto first = std::upper_bound(items_.begin(), items_.end(), stamp, is_before);
  return static_cast<std::size_t>(first - items_.begin());
}

std::vector<Event> TimeOrder::range(std::size_t first, std::size_t end) const
{
  std::vector<Event> messages;
  for (std::size_t index = first; index < end; ++index) {
    messages.push_back(items_[index].message);
  }
  return messages;
}

}  // namespace impl
}  // namespace message_filters
