#include "message_filters/impl/latest_time.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "message_filters/impl/saturating.hpp"

namespace message_filters
{
namespace impl
{

namespace
{

double seconds(std::int64_t from, std::int64_t to)
{
  return static_cast<double>(subtract(to, from)) * 1e-9;
}

double mean(double weight, double newest, double old)
{
  return weight * newest + (1.0 - weight) * old;
}

void check(const RateConfig & config)
{
  const auto is_weight = [](double weight) {return 0.0 <= weight && weight <= 1.0;};
  if (!is_weight(config.rate_weight) || !is_weight(config.error_weight) || !(config.margin >= 0.0)) {
    throw std::invalid_argument(
      "LatestTime: expected weights from 0 to 1 and a margin of at least 0, found " +
      std::to_string(config.rate_weight) + ", " + std::to_string(config.error_weight) + ", " +
      std::to_string(config.margin));
  }
}

}  // namespace

LatestTime::LatestTime(std::size_t inputs)
: latest_(inputs), rates_(inputs)
{
}

void LatestTime::setConfig(const RateConfig & config)
{
  check(config);
  for (Rate & rate : rates_) {
    rate.config = config;
  }
}

void LatestTime::setConfigs(const std::vector<RateConfig> & configs)
{
  if (configs.size() <= 1) {
    return setConfig(configs.empty() ? RateConfig() : configs[0]);
  }
  if (configs.size() != rates_.size()) {
    throw std::invalid_argument(
      "LatestTime: expected settings for " + std::to_string(rates_.size()) + " messages, found " +
      std::to_string(configs.size()));
  }
  std::for_each(configs.begin(), configs.end(), check);
  for (std::size_t input = 0; input < rates_.size(); ++input) {
    rates_[input].config = configs[input];
  }
}

void LatestTime::add(std::size_t input, std::int64_t now, Event event, Outputs & outputs)
{
  const bool is_first = !latest_[input];
  latest_[input] = std::move(event);
  const bool is_measured = rates_[input].measure(now);
  const auto is_set = [](const Event & latest) {return latest != nullptr;};
  if (!is_first && is_measured && fastest(now) == input && std::all_of(latest_.begin(), latest_.end(), is_set)) {
    outputs.push_back({true, latest_});
  }
}

// The fastest input that is not late. Of several inputs with the same rate, the first one counts.
std::optional<std::size_t> LatestTime::fastest(std::int64_t now) const
{
  std::optional<std::size_t> fastest;
  for (std::size_t input = 0; input < rates_.size(); ++input) {
    if (rates_[input].isUsable(now) && (!fastest || *rates_[input].hz > *rates_[*fastest].hz)) {
      fastest = input;
    }
  }
  return fastest;
}

// Notes that a message came. Returns whether the rate could be measured: the time must have grown.
bool LatestTime::Rate::measure(std::int64_t now)
{
  if (!last || now < *last) {
    hz.reset();
    error.reset();
    last = now;
    return false;
  }
  const double period = seconds(*last, now);
  if (period <= 0.0) {
    return false;
  }
  update(1.0 / period);
  last = now;
  return true;
}

void LatestTime::Rate::update(double current)
{
  if (!hz) {
    hz = current;
    return;
  }
  const double difference = std::abs(*hz - current);
  if (error && difference > config.margin * *error) {
    // The rate has changed: the estimate begins again.
    hz = current;
    error.reset();
    return;
  }
  error = error ? mean(config.error_weight, difference, *error) : difference;
  hz = mean(config.rate_weight, current, *hz);
}

// Whether the rate is known, and the next message is not late.
bool LatestTime::Rate::isUsable(std::int64_t now) const
{
  if (!last || !hz) {
    return false;
  }
  const double period = seconds(*last, now);
  const bool is_late = error && period != 0.0 && *hz - 1.0 / period > config.margin * *error;
  return !is_late;
}

}  // namespace impl
}  // namespace message_filters
