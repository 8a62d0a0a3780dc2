// Sets of messages with similar stamps.
#ifndef MESSAGE_FILTERS_SYNC_POLICIES_APPROXIMATE_TIME_HPP_
#define MESSAGE_FILTERS_SYNC_POLICIES_APPROXIMATE_TIME_HPP_

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>

#include <rclcpp/duration.hpp>

#include "message_filters/impl/approximate_time.hpp"
#include "message_filters/impl/policy.hpp"
#include "message_filters/synchronizer.hpp"

namespace message_filters
{
namespace sync_policies
{

/// Makes sets of messages with similar stamps. It needs no tolerance. The stamps of an input must not go back.
///
/// At most `queue_size` messages of each input wait. A later set is preferred if the interval between its first and
/// last stamp is shorter.
template<typename ... Ms>
class ApproximateTime : public impl::CorePolicy<ApproximateTime<Ms...>, impl::ApproximateTime, Ms...>
{
  using Base = impl::CorePolicy<ApproximateTime<Ms...>, impl::ApproximateTime, Ms...>;

public:
  /// Throws std::invalid_argument if the queue size is 0.
  ApproximateTime(std::uint32_t queue_size)  // NOLINT(runtime/explicit)
  : Base(impl::ApproximateTime(impl::real_count<Ms...>, queue_size)) {}

  /// Adds a message of the input `i`.
  template<int i>
  void add(const std::tuple_element_t<i, typename Base::Events> & event)
  {
    this->take(
      [stamp = this->stampOf(event), held = this->hold(event)](auto & core, impl::Outputs & outputs) mutable {
        core.add(i, stamp, std::move(held), outputs);
      });
  }

  /// Sets how much an earlier set is preferred to a later one with a shorter interval. The default is 0.1; 0 means that
  /// the shortest interval always counts.
  void setAgePenalty(double age_penalty)
  {
    this->runner().with([&](impl::ApproximateTime & core) {core.setAgePenalty(age_penalty);});
  }

  /// Sets the shortest time between two messages of the input `i`. With it, sets come earlier.
  void setInterMessageLowerBound(int i, rclcpp::Duration lower_bound)
  {
    this->runner().with(
      [&](impl::ApproximateTime & core) {
        core.setLowerBound(static_cast<std::size_t>(i), lower_bound.nanoseconds());
      });
  }

  /// Sets the longest interval between the first and the last stamp of a set. The default is without a limit.
  void setMaxIntervalDuration(rclcpp::Duration max_interval_duration)
  {
    this->runner().with(
      [&](impl::ApproximateTime & core) {core.setMaxInterval(max_interval_duration.nanoseconds());});
  }
};

}  // namespace sync_policies
}  // namespace message_filters

#endif
