// TimeOrder and Aligner without types.
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "message_filters/impl/aligner.hpp"
#include "message_filters/impl/time_order.hpp"
#include "messages.hpp"

namespace
{

using message_filters::impl::Aligner;
using message_filters::impl::Event;
using message_filters::impl::TimeOrder;

Stamps stampsOf(const std::vector<Event> & events)
{
  Stamps stamps;
  for (const Event & event : events) {
    stamps.push_back(stampOf(event));
  }
  return stamps;
}

TimeOrder filled()
{
  TimeOrder order;
  order.setSize(5);
  for (const std::int64_t stamp : {50, 20, 10, 40, 30, 60}) {
    order.add(stamp, eventAt(stamp));
  }
  return order;
}

TEST(TimeOrder, messages_are_sorted_and_the_earliest_is_removed)
{
  const TimeOrder order = filled();
  EXPECT_EQ((Stamps{20, 30, 40, 50, 60}), stampsOf(order.interval(0, 100)));
  EXPECT_EQ(20, order.front().stamp);
  EXPECT_EQ(60, order.back().stamp);
  EXPECT_EQ(5U, order.size());
}

TEST(TimeOrder, intervals_include_their_ends)
{
  const TimeOrder order = filled();
  EXPECT_EQ((Stamps{30, 40, 50}), stampsOf(order.interval(30, 50)));
  EXPECT_EQ((Stamps{40}), stampsOf(order.interval(31, 49)));
  EXPECT_EQ(Stamps(), stampsOf(order.interval(41, 49)));
  EXPECT_EQ(Stamps(), stampsOf(order.interval(50, 30)));
}

TEST(TimeOrder, surrounding_intervals_include_the_messages_next_to_them)
{
  const TimeOrder order = filled();
  EXPECT_EQ((Stamps{30, 40, 50}), stampsOf(order.surroundingInterval(31, 49)));
  EXPECT_EQ((Stamps{30, 40, 50}), stampsOf(order.surroundingInterval(30, 50)));
  EXPECT_EQ((Stamps{20}), stampsOf(order.surroundingInterval(0, 5)));
  EXPECT_EQ((Stamps{60}), stampsOf(order.surroundingInterval(70, 80)));
  EXPECT_EQ(Stamps(), stampsOf(TimeOrder().surroundingInterval(0, 1)));
}

TEST(TimeOrder, a_message_is_found_before_and_after_a_time)
{
  const TimeOrder order = filled();
  EXPECT_EQ(20, stampOf(order.before(30)));
  EXPECT_EQ(40, stampOf(order.after(30)));
  EXPECT_EQ(nullptr, order.before(20));
  EXPECT_EQ(nullptr, order.after(60));
}

TEST(TimeOrder, it_agrees_with_a_sorted_list)
{
  Random random(1);
  for (int round = 0; round < 3000; ++round) {
    TimeOrder order;
    const std::size_t size = static_cast<std::size_t>(random.below(8));
    order.setSize(size);
    // The second number is the order in which they came.
    std::vector<std::pair<std::int64_t, std::int64_t>> list;
    for (int index = 0; index < 20; ++index) {
      const std::int64_t stamp = random.below(30);
      order.add(stamp, eventAt(index));
      list.emplace_back(stamp, index);
      std::sort(list.begin(), list.end());
      list.erase(list.begin(), list.begin() + (size > 0 && list.size() > size));
      const std::int64_t from = random.below(32) - 1;
      const std::int64_t to = from + random.below(10);
      Stamps interval;
      Stamps surrounding;
      std::int64_t before = -1;
      std::int64_t after = -1;
      for (std::size_t i = 0; i < list.size(); ++i) {
        const std::int64_t time = list[i].first;
        const bool is_last_before = time <= from && (i + 1 == list.size() || list[i + 1].first > from);
        const bool is_first_after = time >= to && (i == 0 || list[i - 1].first < to);
        const bool is_inside = time > from && time < to;
        if (time >= from && time <= to) {
          interval.push_back(list[i].second);
        }
        if (is_inside || is_last_before || is_first_after || (time == to && from == to && is_last_before)) {
          surrounding.push_back(list[i].second);
        }
        before = time < from ? list[i].second : before;
        after = after == -1 && time > from ? list[i].second : after;
      }
      ASSERT_EQ(interval, stampsOf(order.interval(from, to)));
      ASSERT_EQ(before, stampOf(order.before(from)));
      ASSERT_EQ(after, stampOf(order.after(from)));
      if (from < to) {
        ASSERT_EQ(surrounding, stampsOf(order.surroundingInterval(from, to)));
      }
    }
  }
}

/// The stamps that the aligner gives out now.
Stamps nextOf(Aligner & aligner)
{
  Stamps stamps;
  while (const std::optional<Aligner::Next> next = aligner.next()) {
    stamps.push_back(stampOf(next->event));
  }
  return stamps;
}

TEST(Aligner, messages_come_in_the_order_of_their_stamps)
{
  Aligner aligner(2, 10);
  for (const Arrival & arrival : std::vector<Arrival>{{3, 0}, {1, 1}, {2, 1}, {1, 0}}) {
    EXPECT_TRUE(aligner.add(arrival.input, arrival.stamp, eventAt(arrival.stamp)));
  }
  // Input 1 may still have a message with the stamp 2.
  EXPECT_EQ((Stamps{1, 1, 2}), nextOf(aligner));
  EXPECT_FALSE(aligner.add(1, 1, eventAt(1)));
  EXPECT_TRUE(aligner.add(1, 4, eventAt(4)));
  EXPECT_EQ((Stamps{3}), nextOf(aligner));
  EXPECT_EQ(1U, aligner.state(1).dropped);
  EXPECT_EQ(1U, aligner.state(1).waiting);
  EXPECT_EQ(2U, aligner.state(1).processed);
}

TEST(Aligner, with_a_period_it_does_not_wait_for_messages_that_are_not_due)
{
  Aligner aligner(2, 100);
  aligner.setPeriod(1, 5);
  aligner.add(0, 10, eventAt(10));
  aligner.add(1, 9, eventAt(9));
  aligner.add(0, 13, eventAt(13));
  aligner.add(0, 15, eventAt(15));
  EXPECT_EQ((Stamps{9, 10, 13}), nextOf(aligner));
}

TEST(Aligner, an_input_without_messages_is_ignored_after_the_timeout)
{
  Aligner aligner(2, 10);
  aligner.add(0, 1, eventAt(1));
  EXPECT_EQ((Stamps{1}), nextOf(aligner));
  EXPECT_TRUE(aligner.state(0).is_active);
  aligner.add(1, 5, eventAt(5));
  EXPECT_EQ(Stamps(), nextOf(aligner));
  aligner.add(1, 11, eventAt(11));
  EXPECT_EQ((Stamps{5, 11}), nextOf(aligner));
  EXPECT_FALSE(aligner.state(0).is_active);
  EXPECT_TRUE(aligner.state(1).is_active);
}

/// The rules of the aligner, with lists.
class PlainAligner
{
public:
  PlainAligner(std::size_t inputs, std::int64_t timeout, Stamps periods)
  : waiting_(inputs), due_(inputs, never), timeout_(timeout), periods_(std::move(periods)) {}

  bool add(const Arrival & arrival)
  {
    if (arrival.stamp < last_out_) {
      return false;
    }
    last_in_ = std::max(last_in_, arrival.stamp);
    waiting_[arrival.input].push_back(arrival.stamp);
    std::stable_sort(waiting_[arrival.input].begin(), waiting_[arrival.input].end());
    return true;
  }

  Stamps next()
  {
    Stamps out;
    for (;;) {
      // The earliest message, and the earliest one that is due and has not come.
      std::size_t first = waiting_.size();
      std::size_t missing = waiting_.size();
      for (std::size_t input = 0; input < waiting_.size(); ++input) {
        if (!waiting_[input].empty()) {
          due_[input] = waiting_[input].front() + periods_[input];
          first = first == waiting_.size() || waiting_[input].front() < waiting_[first].front() ? input : first;
        } else if (due_[input] != never) {
          missing = missing == waiting_.size() || due_[input] < due_[missing] ? input : missing;
        }
      }
      const bool has_first = first != waiting_.size();
      const bool has_missing = missing != waiting_.size();
      const bool waits = has_missing && (!has_first || due_[missing] < waiting_[first].front() ||
        (due_[missing] == waiting_[first].front() && missing < first));
      if (waits && last_in_ - due_[missing] >= timeout_) {
        due_[missing] = never;
      } else if (waits || !has_first) {
        return out;
      } else {
        last_out_ = waiting_[first].front();
        out.push_back(last_out_);
        waiting_[first].erase(waiting_[first].begin());
      }
    }
  }

private:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  std::vector<Stamps> waiting_;
  Stamps due_;
  std::int64_t timeout_;
  Stamps periods_;
  std::int64_t last_in_ = 0;
  std::int64_t last_out_ = 0;
};

TEST(Aligner, it_agrees_with_the_plain_implementation)
{
  Random random(2);
  std::size_t count = 0;
  for (int round = 0; round < 20000; ++round) {
    const std::size_t inputs = 1 + static_cast<std::size_t>(random.below(4));
    const std::int64_t timeout = random.below(60);
    Stamps periods;
    Aligner aligner(inputs, timeout);
    for (std::size_t input = 0; input < inputs; ++input) {
      periods.push_back(random.below(2) * random.below(15));
      aligner.setPeriod(input, periods.back());
    }
    PlainAligner plain(inputs, timeout, periods);
    std::int64_t last = 0;
    for (const Arrival & arrival : randomArrivals(random, inputs, orderOf(round))) {
      ASSERT_EQ(plain.add(arrival), aligner.add(arrival.input, arrival.stamp, eventAt(arrival.stamp)));
      const Stamps expected = plain.next();
      ASSERT_EQ(expected, nextOf(aligner));
      for (const std::int64_t stamp : expected) {
        ASSERT_LE(last, stamp);
        last = stamp;
      }
      count += expected.size();
    }
  }
  EXPECT_GT(count, 20000U);
}

}  // namespace
