// Messages in the order of their stamps, without types.
#ifndef MESSAGE_FILTERS_IMPL_TIME_ORDER_HPP_
#define MESSAGE_FILTERS_IMPL_TIME_ORDER_HPP_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "message_filters/impl/output.hpp"
#include "message_filters/visibility_control.hpp"

namespace message_filters
{
namespace impl
{

/// Keeps the messages with the latest stamps, in the order of their stamps.
class MESSAGE_FILTERS_PUBLIC TimeOrder
{
public:
  struct Item
  {
    std::int64_t stamp;
    Event message;
  };

  /// Sets the largest number of messages; 0 means without a limit. It counts from the next message on.
  void setSize(std::size_t size) {size_ = size;}

  /// Adds a message, after those with the same stamp. If there are too many, removes those with the earliest stamps.
  void add(std::int64_t stamp, Event message);

  /// Removes the first message, and returns it.
  Item popFront();

  /// Returns the messages with stamps from `from` to `to`, both included.
  std::vector<Event> interval(std::int64_t from, std::int64_t to) const;

  /// Returns the messages of an interval, the last one at or before it, and the first one at or after it.
  std::vector<Event> surroundingInterval(std::int64_t from, std::int64_t to) const;

  /// Returns the last message with a stamp before `time`, or null.
  Event before(std::int64_t time) const;

  /// Returns the first message with a stamp after `time`, or null.
  Event after(std::int64_t time) const;

  bool empty() const {return items_.empty();}
  std::size_t size() const {return items_.size();}
  const Item & front() const {return items_.front();}
  const Item & back() const {return items_.back();}

private:
  std::size_t firstFrom(std::int64_t stamp) const;
  std::size_t firstAfter(std::int64_t stamp) const;
  std::vector<Event> range(std::size_t first, std::size_t end) const;

  std::size_t size_ = 0;
  std::deque<Item> items_;
};

}  // namespace impl
}  // namespace message_filters

#endif
