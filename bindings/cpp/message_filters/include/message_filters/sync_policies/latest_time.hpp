// The latest message of each input, at the rate of the fastest input.
#ifndef MESSAGE_FILTERS_SYNC_POLICIES_LATEST_TIME_HPP_
#define MESSAGE_FILTERS_SYNC_POLICIES_LATEST_TIME_HPP_

#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include <rclcpp/clock.hpp>

#include "message_filters/impl/latest_time.hpp"
#include "message_filters/impl/policy.hpp"
#include "message_filters/synchronizer.hpp"

namespace message_filters
{
namespace impl
{

/// The filter, and the clock that tells when messages come.
struct ClockedLatestTime
{
  LatestTime filter;
  std::shared_ptr<rclcpp::Clock> clock;
};

}  // namespace impl

namespace sync_policies
{

/// Makes sets of the latest message of each input, whenever the fastest input that is not late has a new one.
///
/// Stamps are not used: the clock tells when messages come. It begins when each input has had a message and the rate of
/// one of them is known. If the time goes back, the rates are estimated anew.
template<typename ... Ms>
class LatestTime : public impl::CorePolicy<LatestTime<Ms...>, impl::ClockedLatestTime, Ms...>
{
  using Base = impl::CorePolicy<LatestTime<Ms...>, impl::ClockedLatestTime, Ms...>;
  using Core = impl::ClockedLatestTime;

public:
  /// The weight of the newest period in the mean rate, the weight of the newest error in the mean error, and the number
  /// of mean errors from which on a rate is a new one or a message is late.
  typedef std::tuple<double, double, double> RateConfig;

  /// Uses the time of the system.
  LatestTime()
  : LatestTime(std::make_shared<rclcpp::Clock>(RCL_ROS_TIME)) {}

  explicit LatestTime(rclcpp::Clock::SharedPtr clock)
  : Base(Core{impl::LatestTime(impl::real_count<Ms...>), std::move(clock)}) {}

  /// Sets the settings of each input; one is for all inputs.
  ///
  /// Throws std::invalid_argument if there is another number of them, or if they are not valid.
  void setRateConfigPerMessage(const std::vector<RateConfig> & configs)
  {
    std::vector<impl::RateConfig> settings;
    for (const RateConfig & config : configs) {
      settings.push_back(toSettings(config));
    }
    this->runner().with([&settings](Core & core) {core.filter.setConfigs(settings);});
  }

  /// Sets the settings of all inputs. Throws std::invalid_argument if they are not valid.
  void setRateConfig(const RateConfig & config)
  {
    this->runner().with([&config](Core & core) {core.filter.setConfig(toSettings(config));});
  }

  /// Sets the clock.
  void setClock(rclcpp::Clock::SharedPtr clock)
  {
    this->runner().with([&clock](Core & core) {core.clock.swap(clock);});
  }

  /// Adds a message of the input `i` that comes now.
  template<int i>
  void add(const std::tuple_element_t<i, typename Base::Events> & event)
  {
    this->take(
      [held = this->hold(event)](Core & core, impl::Outputs & outputs) mutable {
        core.filter.add(i, core.clock->now().nanoseconds(), std::move(held), outputs);
      });
  }

private:
  static impl::RateConfig toSettings(const RateConfig & config)
  {
    return {std::get<0>(config), std::get<1>(config), std::get<2>(config)};
  }
};

}  // namespace sync_policies
}  // namespace message_filters

#endif
