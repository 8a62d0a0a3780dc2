// Messages, random numbers and clocks for the tests.
#ifndef MESSAGES_HPP_
#define MESSAGES_HPP_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <ostream>
#include <random>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "message_filters/impl/output.hpp"
#include "rclcpp/rclcpp.hpp"
#include "std_msgs/msg/header.hpp"

/// A message with a header; `I` makes different types.
template<int I>
struct Stamped
{
  using SharedPtr = std::shared_ptr<Stamped>;
  using ConstSharedPtr = std::shared_ptr<const Stamped>;

  std_msgs::msg::Header header;
  int number = 0;
};

template<int I>
std::int64_t stampOf(const Stamped<I> & message)
{
  return std::int64_t{message.header.stamp.sec} * 1000000000 + message.header.stamp.nanosec;
}

/// Returns a message with a stamp in nanoseconds.
template<int I>
std::shared_ptr<Stamped<I>> at(std::int64_t nanoseconds, int number = 0)
{
  auto message = std::make_shared<Stamped<I>>();
  message->header.stamp = rclcpp::Time(nanoseconds, RCL_ROS_TIME);
  message->number = number;
  return message;
}

using A = Stamped<0>;
using B = Stamped<1>;
using C = Stamped<2>;

/// A message as a filter without types gets it: its stamp, its input, and when it comes.
struct Arrival
{
  std::int64_t stamp;
  std::size_t input;
};

inline std::ostream & operator<<(std::ostream & out, const Arrival & arrival)
{
  return out << "{" << arrival.stamp << ", " << arrival.input << "}";
}

using Stamps = std::vector<std::int64_t>;

/// An event that is only its stamp.
inline message_filters::impl::Event eventAt(std::int64_t stamp)
{
  return std::make_shared<const std::int64_t>(stamp);
}

/// Returns the stamp of an event of `eventAt`; -1 if there is none.
inline std::int64_t stampOf(const message_filters::impl::Event & event)
{
  return event ? *static_cast<const std::int64_t *>(event.get()) : -1;
}

inline Stamps stampsOf(const message_filters::impl::Output & output)
{
  Stamps stamps;
  for (const auto & event : output.events) {
    stamps.push_back(stampOf(event));
  }
  return stamps;
}

inline std::vector<Stamps> stampsOf(const message_filters::impl::Outputs & outputs, bool is_complete = true)
{
  std::vector<Stamps> stamps;
  for (const auto & output : outputs) {
    if (output.is_complete == is_complete) {
      stamps.push_back(stampsOf(output));
    }
  }
  return stamps;
}

/// Random numbers that are the same in each run.
class Random
{
public:
  explicit Random(unsigned seed)
  : engine_(seed) {}

  /// Returns a number from 0 to `end` - 1.
  int below(int end)
  {
    return static_cast<int>(engine_() % static_cast<unsigned>(end));
  }

private:
  std::mt19937 engine_;
};

/// How the messages of a random sequence come.
enum class Order
{
  by_stamp,
  delayed,
  shuffled
};

/// Returns random messages of several inputs: each has a period, a jitter and gaps; some have equal stamps.
inline std::vector<Arrival> randomArrivals(Random & random, std::size_t inputs, Order order)
{
  std::vector<std::tuple<std::int64_t, Arrival>> arrivals;
  for (std::size_t input = 0; input < inputs; ++input) {
    std::int64_t stamp = random.below(20);
    const int period = 2 + random.below(20);
    const int delay = order == Order::delayed ? random.below(60) : 0;
    const int count = random.below(16);
    for (int index = 0; index < count; ++index) {
      const int late = order == Order::shuffled ? random.below(30) : delay;
      arrivals.push_back({stamp + late, {stamp, input}});
      stamp += random.below(8) == 0 ? 0 : 1 + random.below(2 * period);
    }
  }
  std::stable_sort(
    arrivals.begin(), arrivals.end(), [](const auto & a, const auto & b) {return std::get<0>(a) < std::get<0>(b);});
  std::vector<Arrival> ordered;
  for (const auto & [time, arrival] : arrivals) {
    ordered.push_back(arrival);
  }
  return ordered;
}

inline Order orderOf(int round)
{
  return round % 3 == 0 ? Order::by_stamp : round % 3 == 1 ? Order::delayed : Order::shuffled;
}

/// A clock that shows the time that a test sets.
inline std::shared_ptr<rclcpp::Clock> makeTestClock()
{
  auto clock = std::make_shared<rclcpp::Clock>(RCL_ROS_TIME);
  EXPECT_EQ(0, rcl_enable_ros_time_override(clock->get_clock_handle()));
  return clock;
}

inline void setTime(rclcpp::Clock & clock, std::int64_t nanoseconds)
{
  EXPECT_EQ(0, rcl_set_ros_time_override(clock.get_clock_handle(), nanoseconds));
}

#endif
