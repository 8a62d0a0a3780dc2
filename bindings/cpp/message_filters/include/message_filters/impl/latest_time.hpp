// The latest message of each input, without types.
#ifndef MESSAGE_FILTERS_IMPL_LATEST_TIME_HPP_
#define MESSAGE_FILTERS_IMPL_LATEST_TIME_HPP_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "message_filters/impl/output.hpp"
#include "message_filters/visibility_control.hpp"

namespace message_filters
{
namespace impl
{

/// The settings with which the rate of an input is estimated.
struct RateConfig
{
  /// The weight of the newest period in the mean rate, from 0 to 1.
  double rate_weight = 0.9;
  /// The weight of the newest error in the mean error, from 0 to 1.
  double error_weight = 0.3;
  /// A rate that differs from the mean by more than this many mean errors is a new rate. A message that is late by more
  /// than that does not count as the fastest.
  double margin = 10.0;
};

/// Gives out the latest message of each input, whenever the fastest input that is not late has a new one.
///
/// The times are those at which messages come. It begins when each input has had a message and the rate of one of them
/// is known. If the time goes back, the estimates begin again.
class MESSAGE_FILTERS_PUBLIC LatestTime
{
public:
  explicit LatestTime(std::size_t inputs);

  /// Sets the same settings for each input; throws std::invalid_argument if they are not valid.
  void setConfig(const RateConfig & config);

  /// Sets the settings of each input. One setting is for all inputs; none means the default.
  ///
  /// Throws std::invalid_argument if there is another number of them, or if they are not valid.
  void setConfigs(const std::vector<RateConfig> & configs);

  /// Adds a message that came at the time `now` in nanoseconds.
  void add(std::size_t input, std::int64_t now, Event event, Outputs & outputs);

private:
  // The estimated rate of an input.
  struct Rate
  {
    RateConfig config;
    // The time at which the last message came.
    std::optional<std::int64_t> last;
    // The mean rate in Hz, known from the second message on.
    std::optional<double> hz;
    // The mean difference of the rate from its mean in Hz, known from the third message on.
    std::optional<double> error;

    bool measure(std::int64_t now);
    void update(double current);
    bool isUsable(std::int64_t now) const;
  };

  std::optional<std::size_t> fastest(std::int64_t now) const;

  std::vector<Event> latest_;
  std::vector<Rate> rates_;
};

}  // namespace impl
}  // namespace message_filters

#endif
