// A filter as callbacks of a node know it.
#ifndef MESSAGE_FILTERS_IMPL_LINK_HPP_
#define MESSAGE_FILTERS_IMPL_LINK_HPP_

#include <mutex>

#include "message_filters/connection.hpp"
#include "message_filters/impl/turn.hpp"

namespace message_filters
{
namespace impl
{

/// A filter as the callback of a subscription or of a timer knows it: the callback may outlive the filter.
template<class Filter>
class Link : public noncopyable
{
public:
  explicit Link(Filter & filter)
  : filter_(&filter) {}

  /// Calls `step` with the filter until it returns false or the filter is destroyed. One thread at a time does so.
  template<class Step>
  void repeat(Step step)
  {
    std::lock_guard<Turn> lock(turn_);
    while (filter_ && step(*filter_)) {
    }
  }

  /// Ends the link. Waits until no callback runs on another thread.
  void close()
  {
    std::lock_guard<Turn> lock(turn_);
    filter_ = nullptr;
  }

private:
  Turn turn_;
  Filter * filter_;
};

}  // namespace impl
}  // namespace message_filters

#endif
