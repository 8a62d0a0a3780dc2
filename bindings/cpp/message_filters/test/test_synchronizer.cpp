// Synchronizers with each policy, and their settings.
#include <functional>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "message_filters/pass_through.hpp"
#include "message_filters/sync_policies/approximate_epsilon_time.hpp"
#include "message_filters/sync_policies/approximate_time.hpp"
#include "message_filters/sync_policies/exact_time.hpp"
#include "message_filters/sync_policies/latest_time.hpp"
#include "message_filters/synchronizer.hpp"
#include "message_filters/time_synchronizer.hpp"
#include "messages.hpp"

namespace
{

using message_filters::NullFilter;
using message_filters::NullType;
using message_filters::PassThrough;
using message_filters::Synchronizer;
using message_filters::TimeSynchronizer;
using message_filters::sync_policies::ApproximateEpsilonTime;
using message_filters::sync_policies::ApproximateTime;
using message_filters::sync_policies::ExactTime;
using message_filters::sync_policies::LatestTime;

/// Collects sets as pairs of stamps.
struct Pairs
{
  std::vector<std::pair<std::int64_t, std::int64_t>> all;

  void add(const A::ConstSharedPtr & a, const B::ConstSharedPtr & b)
  {
    all.emplace_back(a ? stampOf(*a) : -1, b ? stampOf(*b) : -1);
  }
};

using Expected = decltype(Pairs::all);

struct Inputs
{
  PassThrough<A> a;
  PassThrough<B> b;

  void add(const std::vector<Arrival> & arrivals)
  {
    for (const Arrival & arrival : arrivals) {
      arrival.input == 0 ? a.add(at<0>(arrival.stamp)) : b.add(at<1>(arrival.stamp));
    }
  }
};

TEST(SynchronizerFilter, exact_time)
{
  Inputs inputs;
  Synchronizer<ExactTime<A, B>> filter(ExactTime<A, B>(2), inputs.a, inputs.b);
  Pairs sets;
  Pairs dropped;
  filter.registerCallback(&Pairs::add, &sets);
  filter.registerDropCallback(&Pairs::add, &dropped);
  EXPECT_EQ(rclcpp::Time(0, 0, RCL_ROS_TIME), filter.getLastSignalTime());
  inputs.add({{1, 0}, {2, 0}, {2, 1}, {3, 0}, {4, 1}, {5, 1}});
  EXPECT_EQ((Expected{{2, 2}}), sets.all);
  EXPECT_EQ((Expected{{1, -1}, {3, -1}}), dropped.all);
  EXPECT_EQ(rclcpp::Time(0, 2, RCL_ROS_TIME), filter.getLastSignalTime());
}

TEST(SynchronizerFilter, after_the_time_has_gone_back_exact_time_drops_the_earlier_stamps_first)
{
  Inputs inputs;
  TimeSynchronizer<A, B> filter(inputs.a, inputs.b, 2);
  Pairs sets;
  Pairs dropped;
  filter.registerCallback(&Pairs::add, &sets);
  filter.registerDropCallback([&dropped](A::ConstSharedPtr a, B::SharedPtr b) {dropped.add(a, b);});
  inputs.add({{100, 0}, {100, 1}, {101, 0}, {102, 0}, {1, 0}, {1, 1}, {2, 0}, {2, 1}});
  EXPECT_EQ((Expected{{100, 100}}), sets.all);
  EXPECT_EQ((Expected{{1, -1}, {-1, 1}, {2, -1}, {-1, 2}}), dropped.all);
  // They match again when the later ones are gone.
  inputs.add({{101, 1}, {102, 1}, {3, 0}, {3, 1}});
  EXPECT_EQ((Expected{{100, 100}, {101, 101}, {102, 102}, {3, 3}}), sets.all);
}

TEST(SynchronizerFilter, approximate_time_and_its_settings)
{
  using Policy = ApproximateTime<A, B>;
  Inputs inputs;
  Synchronizer<Policy> filter(Policy(10), inputs.a, inputs.b);
  filter.setMaxIntervalDuration(rclcpp::Duration(0, 5));
  filter.setAgePenalty(0.5);
  filter.setInterMessageLowerBound(0, rclcpp::Duration(0, 20));
  filter.getPolicy()->setInterMessageLowerBound(1, rclcpp::Duration(0, 20));
  EXPECT_THROW(filter.setInterMessageLowerBound(2, rclcpp::Duration(0, 1)), std::out_of_range);
  Pairs sets;
  filter.registerCallback(&Pairs::add, &sets);
  inputs.add({{10, 0}, {20, 1}, {30, 0}, {31, 1}});
  EXPECT_EQ((Expected{{30, 31}}), sets.all);
  EXPECT_THROW(Policy(0), std::invalid_argument);
}

TEST(SynchronizerFilter, approximate_epsilon_time)
{
  using Policy = ApproximateEpsilonTime<A, B>;
  Inputs inputs;
  Synchronizer<Policy> filter(Policy(10, rclcpp::Duration(0, 2)), inputs.a, inputs.b);
  Pairs sets;
  filter.registerCallback(&Pairs::add, &sets);
  inputs.add({{10, 0}, {13, 1}, {12, 0}, {20, 0}, {22, 1}});
  EXPECT_EQ((Expected{{12, 13}, {20, 22}}), sets.all);
}

TEST(SynchronizerFilter, latest_time_by_the_clock_of_the_policy)
{
  using Policy = LatestTime<A, B>;
  const auto clock = makeTestClock();
  Policy policy(clock);
  policy.setRateConfig({0.9, 0.3, 10.0});
  Inputs inputs;
  Synchronizer<Policy> filter(policy, inputs.a, inputs.b);
  filter.setRateConfigPerMessage({Policy::RateConfig{0.9, 0.3, 10.0}, Policy::RateConfig{0.5, 0.5, 5.0}});
  EXPECT_THROW(filter.setRateConfig({2.0, 0.3, 10.0}), std::invalid_argument);
  Pairs sets;
  filter.registerCallback(&Pairs::add, &sets);
  for (const Arrival & arrival : std::vector<Arrival>{{0, 0}, {1, 1}, {10, 0}, {20, 0}, {30, 0}, {31, 1}, {40, 0}}) {
    setTime(*clock, arrival.stamp * 1000000);
    inputs.add({arrival});
  }
  EXPECT_EQ((Expected{{10, 1}, {20, 1}, {30, 1}, {40, 31}}), sets.all);
  filter.setClock(std::make_shared<rclcpp::Clock>(RCL_SYSTEM_TIME));
  inputs.add({{41, 0}});
}

TEST(SynchronizerFilter, latest_time_needs_no_policy_and_no_header)
{
  struct Plain
  {
    int number;
  };
  PassThrough<Plain> first;
  PassThrough<Plain> second;
  Synchronizer<LatestTime<Plain, Plain>> filter(first, second);
  const auto clock = makeTestClock();
  filter.setClock(clock);
  int sum = 0;
  filter.registerCallback([&sum](const Plain & a, const Plain & b) {sum += a.number + b.number;});
  for (int time = 1; time <= 3; ++time) {
    setTime(*clock, time * 1000000);
    first.add(std::make_shared<Plain>(Plain{time}));
    second.add(std::make_shared<Plain>(Plain{10 * time}));
  }
  EXPECT_EQ(2 + 10 + 3 + 20, sum);
}

TEST(SynchronizerFilter, all_ways_to_connect)
{
  using Policy = ExactTime<A, B>;
  Inputs inputs;
  Policy policy(10);
  int calls = 0;
  const auto count = [&calls](const A &, const B &) {++calls;};
  Synchronizer<Policy> by_const_policy(std::as_const(policy), inputs.a, inputs.b);
  Synchronizer<Policy> by_policy(policy, inputs.a, inputs.b);
  Synchronizer<Policy> connected_later(policy);
  connected_later.connectInput(inputs.a, inputs.b);
  const std::uint32_t queue_size = 10;
  TimeSynchronizer<A, B> size_last(inputs.a, inputs.b, 10);
  TimeSynchronizer<A, B> size_first(queue_size, inputs.a, inputs.b);
  TimeSynchronizer<A, B> size_only(queue_size);
  size_only.connectInput(inputs.a, inputs.b);
  by_const_policy.registerCallback(count);
  by_policy.registerCallback(count);
  connected_later.registerCallback(count);
  size_last.registerCallback(count);
  size_first.registerCallback(count);
  size_only.registerCallback(count);
  inputs.add({{1, 0}, {1, 1}});
  EXPECT_EQ(6, calls);
  size_only.add0(at<0>(2));
  size_only.add1(at<1>(2));
  EXPECT_EQ(7, calls);
  NullFilter<A> no_messages;
  size_only.connectInput(no_messages, inputs.b);
  inputs.add({{3, 0}, {3, 1}});
  EXPECT_EQ(12, calls);
  size_only.setName("pairs");
  EXPECT_EQ("pairs", size_only.getName());
}

TEST(SynchronizerFilter, inputs_of_null_type_do_not_count)
{
  using Policy = ExactTime<A, B, NullType, NullType, NullType, NullType, NullType, NullType, NullType>;
  static_assert(Policy::RealTypeCount::value == 2);
  static_assert(std::is_same_v<Synchronizer<ExactTime<A, B>>::M2, NullType>);
  static_assert(std::is_same_v<Synchronizer<ExactTime<A, B>>::M1Event, message_filters::MessageEvent<B const>>);
  Inputs inputs;
  Synchronizer<Policy> filter(Policy(10), inputs.a, inputs.b);
  Pairs sets;
  filter.registerCallback(&Pairs::add, &sets);
  inputs.add({{1, 0}, {1, 1}});
  EXPECT_EQ((Expected{{1, 1}}), sets.all);
}

TEST(SynchronizerFilter, a_copied_policy_has_its_settings_and_messages)
{
  using Policy = ApproximateTime<A, B>;
  Policy policy(10);
  policy.setMaxIntervalDuration(rclcpp::Duration(0, 5));
  EXPECT_THROW(policy.add<0>(message_filters::MessageEvent<A const>(at<0>(1))), std::logic_error);
  Synchronizer<Policy> first(policy);
  first.add<0>(at<0>(10));
  Synchronizer<Policy> second(*first.getPolicy());
  Policy assigned(5);
  assigned = policy;
  Synchronizer<Policy> third(assigned);
  Pairs sets;
  second.registerCallback(&Pairs::add, &sets);
  third.registerCallback(&Pairs::add, &sets);
  second.add<1>(at<1>(10));
  third.add<0>(at<0>(20));
  third.add<1>(at<1>(26));
  EXPECT_EQ((Expected{{10, 10}}), sets.all);
}

/// A policy of a program: it gives out the newest messages whenever the second input has one.
template<typename M0, typename M1>
class SecondPolicy : public message_filters::PolicyBase<M0, M1>
{
public:
  typedef Synchronizer<SecondPolicy> Sync;
  typedef typename message_filters::PolicyBase<M0, M1>::Events Events;

  void initParent(Sync * parent) {parent_ = parent;}

  template<int i>
  void add(const typename std::tuple_element<i, Events>::type & event)
  {
    std::get<i>(newest_) = event;
    if (i == 1 && std::get<0>(newest_).getMessage()) {
      parent_->signal(std::get<0>(newest_), std::get<1>(newest_));
    }
  }

private:
  Sync * parent_ = nullptr;
  Events newest_;
};

TEST(SynchronizerFilter, programs_have_their_own_policies)
{
  Inputs inputs;
  Synchronizer<SecondPolicy<A, B>> filter(inputs.a, inputs.b);
  Pairs sets;
  filter.registerCallback(std::bind(&Pairs::add, &sets, std::placeholders::_1, std::placeholders::_2));
  inputs.add({{1, 1}, {2, 0}, {3, 1}, {4, 1}});
  EXPECT_EQ((Expected{{2, 3}, {2, 4}}), sets.all);
}

TEST(SynchronizerFilter, a_dropped_message_that_did_not_come_is_no_reference)
{
  TimeSynchronizer<A, B> filter(1);
  filter.registerDropCallback([](const A &, const B &) {});
  filter.add<0>(at<0>(1));
  EXPECT_THROW(filter.add<0>(at<0>(2)), std::runtime_error);
}

}  // namespace
