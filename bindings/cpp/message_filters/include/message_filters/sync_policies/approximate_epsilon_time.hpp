// Sets of messages whose stamps differ by at most a tolerance.
#ifndef MESSAGE_FILTERS_SYNC_POLICIES_APPROXIMATE_EPSILON_TIME_HPP_
#define MESSAGE_FILTERS_SYNC_POLICIES_APPROXIMATE_EPSILON_TIME_HPP_

#include <cstdint>
#include <tuple>
#include <utility>

#include <rclcpp/duration.hpp>

#include "message_filters/impl/epsilon_time.hpp"
#include "message_filters/impl/policy.hpp"
#include "message_filters/synchronizer.hpp"

namespace message_filters
{
namespace sync_policies
{

/// Makes sets of the first messages of all inputs, if their stamps differ by at most `epsilon`.
///
/// If they differ by more, those within `epsilon` of the earliest one are dropped. At most `queue_size` messages of
/// each input wait for the other inputs.
template<typename ... Ms>
class ApproximateEpsilonTime : public impl::CorePolicy<ApproximateEpsilonTime<Ms...>, impl::EpsilonTime, Ms...>
{
  using Base = impl::CorePolicy<ApproximateEpsilonTime<Ms...>, impl::EpsilonTime, Ms...>;

public:
  ApproximateEpsilonTime(std::uint32_t queue_size, rclcpp::Duration epsilon)
  : Base(impl::EpsilonTime(impl::real_count<Ms...>, queue_size, epsilon.nanoseconds())) {}

  /// Adds a message of the input `i`.
  template<int i>
  void add(const std::tuple_element_t<i, typename Base::Events> & event)
  {
    this->take(
      [stamp = this->stampOf(event), held = this->hold(event)](auto & core, impl::Outputs & outputs) mutable {
        core.add(i, stamp, std::move(held), outputs);
      });
  }
};

}  // namespace sync_policies
}  // namespace message_filters

#endif
