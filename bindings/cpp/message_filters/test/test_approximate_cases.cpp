// The documented cases of ApproximateTime.
#include <limits>
#include <stdexcept>
#include <vector>

#include "message_filters/impl/approximate_time.hpp"
#include "messages.hpp"

namespace
{

using Filter = message_filters::impl::ApproximateTime;
using Sets = std::vector<Stamps>;

constexpr std::int64_t second = 1000000000;

/// Adds messages of {seconds, input}. Returns the seconds of the messages in each set.
Sets run(Filter filter, const std::vector<Arrival> & arrivals)
{
  message_filters::impl::Outputs outputs;
  for (const Arrival & arrival : arrivals) {
    filter.add(arrival.input, arrival.stamp * second, eventAt(arrival.stamp), outputs);
  }
  return stampsOf(outputs);
}

TEST(ApproximateTime, equal_stamps_match)
{
  EXPECT_EQ((Sets{{0, 0}, {3, 3}, {6, 6}}), run(Filter(2, 10), {{0, 0}, {0, 1}, {3, 0}, {3, 1}, {6, 0}, {6, 1}}));
}

TEST(ApproximateTime, a_constant_offset_matches)
{
  EXPECT_EQ((Sets{{0, 1}, {3, 4}}), run(Filter(2, 10), {{0, 0}, {1, 1}, {3, 0}, {4, 1}, {6, 0}, {7, 1}}));
}

TEST(ApproximateTime, a_message_without_a_partner_is_left_out)
{
  EXPECT_EQ((Sets{{0, 1}, {6, 5}}), run(Filter(2, 10), {{0, 0}, {1, 1}, {2, 0}, {3, 0}, {5, 1}, {6, 0}, {7, 1}}));
}

TEST(ApproximateTime, the_closest_set_around_the_pivot_counts)
{
  EXPECT_EQ((Sets{{12, 7}, {17, 18}}), run(Filter(2, 10), {{0, 0}, {7, 1}, {12, 0}, {15, 1}, {17, 0}, {18, 1}}));
}

TEST(ApproximateTime, a_queue_that_is_too_short_drops_messages)
{
  const std::vector<Arrival> arrivals = {
    {0, 0}, {1, 1}, {3, 1}, {4, 0}, {7, 1}, {8, 0}, {10, 0}, {11, 1}, {13, 0}, {14, 1}};
  EXPECT_EQ((Sets{{4, 3}, {10, 11}}), run(Filter(2, 1), arrivals));
  EXPECT_EQ((Sets{{0, 1}, {4, 3}, {8, 7}, {10, 11}}), run(Filter(2, 2), arrivals));
}

TEST(ApproximateTime, the_first_messages_of_a_fast_input_are_dropped)
{
  std::vector<Arrival> arrivals;
  for (std::int64_t time = 0; time < 9; ++time) {
    arrivals.push_back({time, 0});
  }
  for (const Arrival & arrival : std::vector<Arrival>{{3, 1}, {9, 0}, {10, 0}, {11, 0}, {12, 0}, {10, 1}, {13, 0}}) {
    arrivals.push_back(arrival);
  }
  EXPECT_EQ((Sets{{10, 10}}), run(Filter(2, 5), arrivals));
}

TEST(ApproximateTime, one_message_may_complete_two_sets)
{
  EXPECT_EQ((Sets{{0, 1}, {3, 3}}), run(Filter(2, 10), {{0, 0}, {1, 1}, {3, 1}, {3, 0}}));
}

TEST(ApproximateTime, four_inputs_match)
{
  const std::vector<Arrival> arrivals = {
    {0, 0}, {1, 1}, {2, 2}, {3, 3}, {5, 0}, {5, 3}, {6, 1}, {6, 2}, {8, 0}, {9, 1}, {10, 2}, {11, 3}, {10, 0}, {13, 0},
    {14, 1}};
  EXPECT_EQ((Sets{{0, 1, 2, 3}, {5, 6, 6, 5}, {10, 9, 10, 11}}), run(Filter(4, 10), arrivals));
}

TEST(ApproximateTime, a_set_comes_before_all_inputs_have_later_messages)
{
  EXPECT_EQ((Sets{{0, 1, 2, 3}}), run(Filter(4, 10), {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {7, 0}}));
}

TEST(ApproximateTime, with_one_input_each_message_is_a_set)
{
  EXPECT_EQ((Sets{{0}, {3}, {2}}), run(Filter(1, 1), {{0, 0}, {3, 0}, {2, 0}}));
}

TEST(ApproximateTime, a_lower_bound_makes_sets_come_earlier)
{
  const std::vector<Arrival> arrivals = {{0, 0}, {1, 1}, {3, 0}, {4, 1}, {6, 0}, {7, 1}};
  Filter filter(2, 10);
  filter.setLowerBound(0, 3 * second / 2);
  EXPECT_EQ((Sets{{0, 1}, {3, 4}}), run(filter, arrivals));
  filter.setLowerBound(0, 2 * second);
  EXPECT_EQ((Sets{{0, 1}, {3, 4}, {6, 7}}), run(filter, arrivals));
}

TEST(ApproximateTime, a_longest_interval_excludes_sets)
{
  Filter filter(2, 10);
  filter.setMaxInterval(second);
  const std::vector<Arrival> arrivals = {
    {0, 0}, {2, 1}, {10, 0}, {11, 1}, {20, 0}, {22, 1}, {30, 0}, {31, 1}, {40, 0}};
  EXPECT_EQ((Sets{{10, 11}, {30, 31}}), run(filter, arrivals));
}

TEST(ApproximateTime, an_age_penalty_prefers_earlier_sets)
{
  // Around the pivot 20, {21, 20} is shorter than {18, 20} and ends 1 s later.
  const std::vector<Arrival> arrivals = {{0, 0}, {20, 1}, {18, 0}, {21, 0}, {22, 1}, {40, 0}};
  Filter filter(2, 10);
  filter.setAgePenalty(0);
  EXPECT_EQ((Stamps{21, 20}), run(filter, arrivals).front());
  filter.setAgePenalty(5);
  EXPECT_EQ((Stamps{18, 20}), run(filter, arrivals).front());
}

TEST(ApproximateTime, settings_that_are_not_valid_are_refused)
{
  EXPECT_THROW(Filter(2, 0), std::invalid_argument);
  EXPECT_THROW(Filter(0, 1), std::invalid_argument);
  EXPECT_THROW(Filter(2, 1).setLowerBound(2, 0), std::out_of_range);
  // Negative settings count as 0.
  Filter filter(2, 10);
  filter.setAgePenalty(-1);
  filter.setLowerBound(0, -1);
  filter.setMaxInterval(-1);
  EXPECT_EQ((Sets{{3, 3}}), run(filter, {{0, 0}, {1, 1}, {3, 0}, {3, 1}}));
}

TEST(ApproximateTime, extreme_stamps_do_no_harm)
{
  constexpr std::int64_t min = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();
  for (const double penalty : {0.0, 0.1, 1e300}) {
    Filter filter(2, 3);
    filter.setLowerBound(0, max);
    filter.setAgePenalty(penalty);
    message_filters::impl::Outputs outputs;
    for (const std::int64_t stamp : {min, max, std::int64_t{0}, max, min, std::int64_t{-1}, max, min}) {
      for (const std::size_t input : {std::size_t{0}, std::size_t{1}}) {
        filter.add(input, stamp, eventAt(stamp), outputs);
      }
    }
    for (const Stamps & set : stampsOf(outputs)) {
      EXPECT_EQ(2U, set.size());
    }
  }
}

}  // namespace
