// ExactTime, EpsilonTime and LatestTime without types: documented cases, and plain implementations.
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "message_filters/impl/epsilon_time.hpp"
#include "message_filters/impl/exact_time.hpp"
#include "message_filters/impl/latest_time.hpp"
#include "messages.hpp"

namespace
{

using message_filters::impl::EpsilonTime;
using message_filters::impl::ExactTime;
using message_filters::impl::LatestTime;
using message_filters::impl::Outputs;
using message_filters::impl::RateConfig;
using Sets = std::vector<Stamps>;

template<class Filter>
Outputs run(Filter filter, const std::vector<Arrival> & arrivals)
{
  Outputs outputs;
  for (const Arrival & arrival : arrivals) {
    filter.add(arrival.input, arrival.stamp, eventAt(arrival.stamp), outputs);
  }
  return outputs;
}

TEST(ExactTime, a_set_comes_when_it_is_complete)
{
  const Outputs outputs = run(ExactTime(3, 10), {{1, 2}, {1, 0}, {2, 0}, {1, 1}});
  EXPECT_EQ((Sets{{1, 1, 1}}), stampsOf(outputs));
  EXPECT_TRUE(stampsOf(outputs, false).empty());
}

TEST(ExactTime, messages_before_a_set_are_dropped_after_it)
{
  const Outputs outputs = run(ExactTime(2, 10), {{1, 0}, {2, 1}, {3, 0}, {3, 1}});
  ASSERT_EQ(3U, outputs.size());
  EXPECT_EQ((Stamps{3, 3}), stampsOf(outputs[0]));
  EXPECT_EQ((Stamps{1, -1}), stampsOf(outputs[1]));
  EXPECT_EQ((Stamps{-1, 2}), stampsOf(outputs[2]));
}

TEST(ExactTime, the_oldest_stamp_is_dropped_if_the_queue_is_full)
{
  const Outputs outputs = run(ExactTime(2, 2), {{1, 0}, {2, 0}, {3, 0}, {1, 1}, {3, 1}});
  EXPECT_EQ((Sets{{3, 3}}), stampsOf(outputs));
  EXPECT_EQ((Sets{{1, -1}, {-1, 1}, {2, -1}}), stampsOf(outputs, false));
}

TEST(ExactTime, without_a_queue_size_all_stamps_wait)
{
  std::vector<Arrival> arrivals;
  for (std::int64_t stamp = 0; stamp < 1000; ++stamp) {
    arrivals.push_back({stamp, 0});
  }
  arrivals.push_back({0, 1});
  const Outputs outputs = run(ExactTime(2, 0), arrivals);
  ASSERT_EQ(1U, outputs.size());
  EXPECT_EQ((Stamps{0, 0}), stampsOf(outputs[0]));
}

TEST(ExactTime, a_late_set_may_have_an_earlier_stamp)
{
  ExactTime filter(2, 10);
  Outputs outputs;
  for (const Arrival & arrival : std::vector<Arrival>{{5, 0}, {5, 1}, {3, 0}, {3, 1}}) {
    filter.add(arrival.input, arrival.stamp, eventAt(arrival.stamp), outputs);
  }
  EXPECT_EQ((Sets{{5, 5}, {3, 3}}), stampsOf(outputs));
  EXPECT_EQ(3, filter.lastStamp());
}

/// The messages that wait, in a list.
class PlainExact
{
public:
  PlainExact(std::size_t inputs, std::size_t queue_size)
  : inputs_(inputs), queue_size_(queue_size) {}

  void add(const Arrival & arrival, Sets & complete, Sets & dropped)
  {
    const auto is_same = [&](const Arrival & other) {
        return other.stamp == arrival.stamp && other.input == arrival.input;
      };
    waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), is_same), waiting_.end());
    waiting_.push_back(arrival);
    const Stamps set = setOf(arrival.stamp);
    if (std::find(set.begin(), set.end(), -1) == set.end()) {
      complete.push_back(set);
      remove(arrival.stamp);
      while (!waiting_.empty() && first() < arrival.stamp) {
        dropFirst(dropped);
      }
    } else if (queue_size_ > 0 && countStamps() > queue_size_) {
      dropFirst(dropped);
    }
  }

private:
  Stamps setOf(std::int64_t stamp) const
  {
    Stamps set(inputs_, -1);
    for (const Arrival & arrival : waiting_) {
      if (arrival.stamp == stamp) {
        set[arrival.input] = stamp;
      }
    }
    return set;
  }

  std::int64_t first() const
  {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const Arrival & arrival : waiting_) {
      first = std::min(first, arrival.stamp);
    }
    return first;
  }

  std::size_t countStamps() const
  {
    Stamps stamps;
    for (const Arrival & arrival : waiting_) {
      stamps.push_back(arrival.stamp);
    }
    std::sort(stamps.begin(), stamps.end());
    return static_cast<std::size_t>(std::unique(stamps.begin(), stamps.end()) - stamps.begin());
  }

  void remove(std::int64_t stamp)
  {
    const auto has_stamp = [stamp](const Arrival & arrival) {return arrival.stamp == stamp;};
    waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), has_stamp), waiting_.end());
  }

  void dropFirst(Sets & dropped)
  {
    const std::int64_t stamp = first();
    dropped.push_back(setOf(stamp));
    remove(stamp);
  }

  std::size_t inputs_;
  std::size_t queue_size_;
  std::vector<Arrival> waiting_;
};

TEST(ExactTime, it_agrees_with_the_plain_implementation)
{
  Random random(1);
  std::size_t count = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::size_t inputs = 1 + static_cast<std::size_t>(random.below(4));
    const std::size_t queue_size = static_cast<std::size_t>(random.below(6));
    ExactTime filter(inputs, queue_size);
    PlainExact plain(inputs, queue_size);
    for (int index = 0; index < 40; ++index) {
      const int time = round % 2 == 0 ? index : random.below(20);
      const Arrival arrival{
        std::max(0, time / 4 - random.below(3)), static_cast<std::size_t>(random.below(static_cast<int>(inputs)))};
      Outputs outputs;
      Sets complete;
      Sets dropped;
      filter.add(arrival.input, arrival.stamp, eventAt(arrival.stamp), outputs);
      plain.add(arrival, complete, dropped);
      ASSERT_EQ(complete, stampsOf(outputs));
      ASSERT_EQ(dropped, stampsOf(outputs, false));
      count += complete.size();
    }
  }
  EXPECT_GT(count, 20000U);
}

TEST(EpsilonTime, stamps_within_the_tolerance_match)
{
  EXPECT_EQ((Sets{{10, 12}, {20, 18}}), stampsOf(run(EpsilonTime(2, 10, 2), {{10, 0}, {12, 1}, {20, 0}, {18, 1}})));
  EXPECT_TRUE(run(EpsilonTime(2, 10, 2), {{10, 0}, {13, 1}}).empty());
  EXPECT_EQ((Sets{{13, 13}}), stampsOf(run(EpsilonTime(2, 10, 0), {{10, 0}, {13, 1}, {13, 0}})));
}

TEST(EpsilonTime, those_close_to_the_earliest_one_are_dropped_with_it)
{
  EXPECT_EQ(
    (Sets{{20, 21, 20}}), stampsOf(run(EpsilonTime(3, 10, 2), {{10, 0}, {11, 1}, {20, 2}, {20, 0}, {21, 1}})));
}

TEST(EpsilonTime, the_earliest_message_is_dropped_if_the_queue_is_full)
{
  EXPECT_EQ((Sets{{2, 2}}), stampsOf(run(EpsilonTime(2, 2, 0), {{1, 0}, {2, 0}, {3, 0}, {1, 1}, {2, 1}})));
}

TEST(EpsilonTime, a_negative_tolerance_is_none)
{
  EXPECT_EQ((Sets{{2, 2}}), stampsOf(run(EpsilonTime(2, 2, -5), {{1, 0}, {2, 0}, {2, 1}})));
}

TEST(EpsilonTime, it_agrees_with_the_plain_implementation)
{
  Random random(2);
  std::size_t count = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::size_t inputs = 1 + static_cast<std::size_t>(random.below(4));
    const std::size_t queue_size = 1 + static_cast<std::size_t>(random.below(5));
    const std::int64_t epsilon = random.below(8);
    EpsilonTime filter(inputs, queue_size, epsilon);
    std::vector<Stamps> waiting(inputs);
    for (const Arrival & arrival : randomArrivals(random, inputs, orderOf(round))) {
      Outputs outputs;
      filter.add(arrival.input, arrival.stamp, eventAt(arrival.stamp), outputs);
      waiting[arrival.input].push_back(arrival.stamp);
      Sets expected;
      const auto has_message = [](const Stamps & stamps) {return !stamps.empty();};
      while (std::all_of(waiting.begin(), waiting.end(), has_message)) {
        Stamps set;
        for (const Stamps & stamps : waiting) {
          set.push_back(stamps.front());
        }
        const std::int64_t last = *std::min_element(set.begin(), set.end()) + epsilon;
        for (Stamps & stamps : waiting) {
          stamps.erase(stamps.begin(), stamps.begin() + (stamps.front() <= last));
        }
        if (*std::max_element(set.begin(), set.end()) <= last) {
          expected.push_back(set);
        }
      }
      Stamps & own = waiting[arrival.input];
      own.erase(own.begin(), own.begin() + (own.size() > queue_size));
      ASSERT_EQ(expected, stampsOf(outputs));
      count += expected.size();
    }
  }
  EXPECT_GT(count, 20000U);
}

constexpr std::int64_t ms = 1000000;

/// Adds messages at times in ms. Returns the times of the messages in each set.
Sets runMs(LatestTime filter, const std::vector<Arrival> & arrivals)
{
  Outputs outputs;
  for (const Arrival & arrival : arrivals) {
    filter.add(arrival.input, arrival.stamp * ms, eventAt(arrival.stamp), outputs);
  }
  return stampsOf(outputs);
}

/// Input 0 every 10 ms `fast` times, and input 1 every 30 ms `slow` times, 1 ms later.
std::vector<Arrival> twoRates(std::int64_t fast, std::int64_t slow)
{
  std::vector<Arrival> arrivals;
  for (std::int64_t index = 0; index < fast; ++index) {
    arrivals.push_back({index * 10, 0});
  }
  for (std::int64_t index = 0; index < slow; ++index) {
    arrivals.push_back({index * 30 + 1, 1});
  }
  const auto is_before = [](const Arrival & a, const Arrival & b) {return a.stamp < b.stamp;};
  std::sort(arrivals.begin(), arrivals.end(), is_before);
  return arrivals;
}

TEST(LatestTime, sets_come_at_the_rate_of_the_fastest_input)
{
  const Sets sets = runMs(LatestTime(2), twoRates(13, 4));
  ASSERT_EQ(12U, sets.size());
  for (std::size_t index = 0; index < sets.size(); ++index) {
    EXPECT_EQ(static_cast<std::int64_t>(index + 1) * 10, sets[index][0]);
  }
  EXPECT_EQ((Stamps{50, 31}), sets[4]);
}

TEST(LatestTime, when_the_fastest_input_stops_the_next_one_leads)
{
  EXPECT_EQ((Stamps{90, 271}), runMs(LatestTime(2), twoRates(10, 10)).back());
}

TEST(LatestTime, the_estimates_begin_again_when_the_time_goes_back)
{
  EXPECT_EQ((Sets{{60}, {15}}), runMs(LatestTime(1), {{50, 0}, {60, 0}, {5, 0}, {15, 0}}));
}

TEST(LatestTime, messages_at_the_same_time_are_no_rate)
{
  EXPECT_TRUE(runMs(LatestTime(1), {{5, 0}, {5, 0}, {5, 0}}).empty());
  EXPECT_EQ((Sets{{6}}), runMs(LatestTime(1), {{5, 0}, {6, 0}, {6, 0}}));
}

TEST(LatestTime, the_first_messages_may_come_in_any_order)
{
  // At 11 ms, only the rate of input 1 is known. At 12 ms, both are equal, and the first input counts.
  EXPECT_EQ((Sets{{2, 11}, {12, 11}}), runMs(LatestTime(2), {{1, 1}, {2, 0}, {11, 1}, {12, 0}}));
}

TEST(LatestTime, settings_that_are_not_valid_are_refused)
{
  LatestTime filter(2);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(filter.setConfig({nan, 0.5, 1.0}), std::invalid_argument);
  EXPECT_THROW(filter.setConfig({0.5, 1.1, 1.0}), std::invalid_argument);
  EXPECT_THROW(filter.setConfig({0.5, 0.5, -1.0}), std::invalid_argument);
  EXPECT_THROW(filter.setConfigs({RateConfig(), RateConfig(), RateConfig()}), std::invalid_argument);
  EXPECT_NO_THROW(filter.setConfigs({RateConfig(), {0.1, 0.2, 3.0}}));
  EXPECT_NO_THROW(filter.setConfigs({{0.1, 0.2, 3.0}}));
  EXPECT_NO_THROW(filter.setConfigs({}));
}

/// The estimate of a rate; a value that is not known is not a number.
struct PlainRate
{
  RateConfig config;
  double last = std::nan("");
  double hz = std::nan("");
  double error = std::nan("");

  bool measure(double now)
  {
    if (std::isnan(last) || now < last) {
      last = now;
      hz = error = std::nan("");
      return false;
    }
    if (now == last) {
      return false;
    }
    const double current = 1 / ((now - last) * 1e-9);
    last = now;
    const double off = std::abs(hz - current);
    const bool is_new = std::isnan(hz) || off > config.margin * error;
    error = is_new ? std::nan("") : std::isnan(error) ? off : mean(config.error_weight, off, error);
    hz = is_new ? current : mean(config.rate_weight, current, hz);
    return true;
  }

  static double mean(double weight, double newest, double old)
  {
    return weight * newest + (1 - weight) * old;
  }

  bool canLead(double now) const
  {
    return !std::isnan(hz) && !(now != last && hz - 1 / ((now - last) * 1e-9) > config.margin * error);
  }
};

TEST(LatestTime, it_agrees_with_the_plain_implementation)
{
  Random random(3);
  std::size_t count = 0;
  for (int round = 0; round < 5000; ++round) {
    const std::size_t inputs = 1 + static_cast<std::size_t>(random.below(4));
    std::vector<RateConfig> configs;
    std::vector<PlainRate> rates;
    for (std::size_t input = 0; input < inputs; ++input) {
      configs.push_back({random.below(11) * 0.1, random.below(11) * 0.1, random.below(4) * 1.0});
      rates.push_back({configs.back()});
    }
    LatestTime filter(inputs);
    filter.setConfigs(configs);
    Stamps latest(inputs, -1);
    std::int64_t now = 1000 * ms;
    for (int index = 0; index < 60; ++index) {
      now += random.below(50) == 0 ? -20 * ms : random.below(5) * ms;
      const std::size_t input = static_cast<std::size_t>(random.below(static_cast<int>(inputs)));
      Outputs outputs;
      filter.add(input, now, eventAt(index), outputs);
      const bool is_first = latest[input] == -1;
      latest[input] = index;
      const double time = static_cast<double>(now);
      const bool is_measured = rates[input].measure(time);
      std::size_t fastest = inputs;
      for (std::size_t other = 0; other < inputs; ++other) {
        if (rates[other].canLead(time) && (fastest == inputs || rates[other].hz > rates[fastest].hz)) {
          fastest = other;
        }
      }
      const bool is_set = std::find(latest.begin(), latest.end(), -1) == latest.end();
      const bool is_expected = !is_first && is_measured && fastest == input && is_set;
      ASSERT_EQ(is_expected ? Sets{latest} : Sets(), stampsOf(outputs)) << round << ", " << index;
      count += outputs.size();
    }
  }
  EXPECT_GT(count, 5000U);
}

}  // namespace
