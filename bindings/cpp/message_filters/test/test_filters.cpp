// PassThrough, Chain, Cache, DeltaFilter, TimeSequencer and InputAligner.
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "message_filters/cache.hpp"
#include "message_filters/chain.hpp"
#include "message_filters/delta_filter.hpp"
#include "message_filters/input_aligner.hpp"
#include "message_filters/pass_through.hpp"
#include "message_filters/time_sequencer.hpp"
#include "messages.hpp"

namespace
{

using message_filters::Cache;
using message_filters::Chain;
using message_filters::PassThrough;

/// Collects the numbers of messages.
struct Numbers
{
  std::vector<int> all;

  template<int I>
  auto add()
  {
    return [this](const Stamped<I> & message) {all.push_back(message.number);};
  }
};

TEST(PassThroughFilter, messages_pass_in_a_row_of_filters)
{
  PassThrough<A> first;
  PassThrough<A> second(first);
  PassThrough<A> other;
  first.setName("first");
  EXPECT_EQ("first", first.getName());
  Numbers numbers;
  second.registerCallback(numbers.add<0>());
  first.add(at<0>(0, 1));
  second.connectInput(other);
  first.add(at<0>(0, 2));
  other.add(at<0>(0, 3));
  EXPECT_EQ((std::vector<int>{1, 3}), numbers.all);
}

TEST(ChainFilter, filters_may_be_added_while_messages_come)
{
  PassThrough<A> input;
  PassThrough<A> not_owned;
  Chain<A> chain(input);
  Numbers numbers;
  chain.registerCallback(numbers.add<0>());
  input.add(at<0>(0, 1));
  EXPECT_TRUE(numbers.all.empty()) << "a chain without filters has no output";
  EXPECT_EQ(0U, chain.addFilter(std::make_shared<PassThrough<A>>()));
  input.add(at<0>(0, 2));
  EXPECT_EQ(1U, chain.addFilter(&not_owned));
  chain.add(at<0>(0, 3));
  const auto cache = std::make_shared<Cache<A>>(5);
  EXPECT_EQ(2U, chain.addFilter(cache));
  input.add(at<0>(0, 4));
  EXPECT_EQ((std::vector<int>{2, 3, 4}), numbers.all);
  EXPECT_EQ(cache, chain.getFilter<Cache<A>>(2));
  EXPECT_EQ(&not_owned, chain.getFilter<PassThrough<A>>(1).get());
  EXPECT_EQ(nullptr, chain.getFilter<PassThrough<A>>(3));
  const message_filters::ChainBase & base = chain;
  EXPECT_EQ(cache, base.getFilter<Cache<A>>(2));
  EXPECT_EQ(1U, cache->getInterval(rclcpp::Time(0, 0), rclcpp::Time(1, 0)).size());
}

TEST(CacheFilter, messages_are_found_by_time)
{
  PassThrough<A> input;
  Cache<A> cache(input, 3);
  Numbers numbers;
  cache.registerCallback(numbers.add<0>());
  EXPECT_EQ(rclcpp::Time(0, 0, RCL_ROS_TIME), cache.getLatestTime());
  for (const int number : {10, 40, 20, 30}) {
    input.add(at<0>(number, number));
  }
  EXPECT_EQ((std::vector<int>{10, 40, 20, 30}), numbers.all);
  EXPECT_EQ(rclcpp::Time(0, 40, RCL_ROS_TIME), cache.getLatestTime());
  EXPECT_EQ(rclcpp::Time(0, 20, RCL_ROS_TIME), cache.getOldestTime());
  // The clock of the arguments does not matter.
  const auto system = [](std::int64_t nanoseconds) {return rclcpp::Time(nanoseconds, RCL_SYSTEM_TIME);};
  EXPECT_EQ(2U, cache.getInterval(system(20), system(30)).size());
  EXPECT_EQ(3U, cache.getSurroundingInterval(system(21), system(31)).size());
  EXPECT_EQ(30, cache.getElemBeforeTime(system(31))->number);
  EXPECT_EQ(40, cache.getElemAfterTime(system(31))->number);
  EXPECT_EQ(nullptr, cache.getElemAfterTime(system(40)));
  cache.setCacheSize(0);
  cache.setCacheSize(1);
  cache.add(at<0>(50));
  EXPECT_EQ(1U, cache.getInterval(system(0), system(100)).size());
  EXPECT_EQ(0U, Cache<A>(0).getInterval(system(0), system(100)).size());
}

TEST(DeltaFilter, changed_messages_pass)
{
  PassThrough<A> input;
  using Filter = message_filters::DeltaFilter<A>;
  const auto number = [](const A::ConstSharedPtr & a) {return a->number;};
  const auto frame = [](const A::ConstSharedPtr & a) {return a->header.frame_id;};
  Filter filter(input, {Filter::FieldGetterFunctionType(number), Filter::FieldGetterFunctionType(frame)});
  Numbers numbers;
  filter.registerCallback(numbers.add<0>());
  for (const int value : {1, 1, 2, 2, 1}) {
    input.add(at<0>(value, value));
  }
  const auto other_frame = at<0>(0, 1);
  other_frame->header.frame_id = "map";
  input.add(other_frame);
  EXPECT_EQ((std::vector<int>{1, 2, 1, 1}), numbers.all);
}

/// Runs the callbacks of a node until a condition holds, for 10 s at most.
template<class Condition>
bool spinUntil(const std::shared_ptr<rclcpp::Node> & node, Condition condition)
{
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition() && std::chrono::steady_clock::now() < end) {
    rclcpp::spin_some(node);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return condition();
}

const rclcpp::Duration one_ms(0, 1000000);

TEST(TimeSequencerFilter, messages_come_in_order_when_they_are_old_enough)
{
  const auto node = std::make_shared<rclcpp::Node>("sequencer");
  PassThrough<A> input;
  message_filters::TimeSequencer<A> sequencer(input, rclcpp::Duration(0, 50000000), one_ms, 10, node);
  Numbers numbers;
  sequencer.registerCallback(numbers.add<0>());
  const std::int64_t now = node->get_clock()->now().nanoseconds();
  input.add(at<0>(now - 10, 2));
  input.add(at<0>(now - 20, 1));
  input.add(at<0>(now + 3600000000000, 4));
  input.add(at<0>(now, 3));
  rclcpp::spin_some(node);
  EXPECT_TRUE(numbers.all.empty());
  EXPECT_TRUE(spinUntil(node, [&numbers] {return numbers.all.size() == 3;}));
  EXPECT_EQ((std::vector<int>{1, 2, 3}), numbers.all);
  // It comes too late.
  input.add(at<0>(now - 1, 5));
  input.add(at<0>(now, 6));
  EXPECT_TRUE(spinUntil(node, [&numbers] {return numbers.all.size() == 4;}));
  EXPECT_EQ(6, numbers.all.back());
}

TEST(TimeSequencerFilter, the_earliest_message_is_dropped_if_too_many_wait)
{
  const auto node = std::make_shared<rclcpp::Node>("sequencer");
  message_filters::TimeSequencer<A> sequencer(rclcpp::Duration(0, 0), one_ms, 2, node);
  message_filters::TimeSequencer<A> without_limit(rclcpp::Duration(0, 0), one_ms, 0, node);
  Numbers numbers;
  Numbers all_numbers;
  sequencer.registerCallback(numbers.add<0>());
  without_limit.registerCallback(all_numbers.add<0>());
  for (const int number : {3, 1, 2}) {
    sequencer.add(at<0>(number, number));
    without_limit.add(at<0>(number, number));
  }
  EXPECT_TRUE(spinUntil(node, [&] {return all_numbers.all.size() == 3 && numbers.all.size() == 2;}));
  EXPECT_EQ((std::vector<int>{2, 3}), numbers.all);
  EXPECT_EQ((std::vector<int>{1, 2, 3}), all_numbers.all);
}

TEST(TimeSequencerFilter, its_timer_may_outlive_it)
{
  const auto node = std::make_shared<rclcpp::Node>("sequencer");
  auto sequencer = std::make_unique<message_filters::TimeSequencer<A>>(rclcpp::Duration(0, 0), one_ms, 2, node);
  int count = 0;
  sequencer->registerCallback(
    [&](const A &) {
      ++count;
      sequencer.reset();
    });
  sequencer->add(at<0>(1));
  sequencer->add(at<0>(2));
  EXPECT_TRUE(spinUntil(node, [&count] {return count > 0;}));
  rclcpp::spin_some(node);
  EXPECT_EQ(1, count);
}

TEST(InputAlignerFilter, messages_of_several_inputs_come_in_order)
{
  PassThrough<A> first;
  PassThrough<B> second;
  message_filters::InputAligner<A, B> aligner(rclcpp::Duration(0, 100), first, second);
  aligner.setInputPeriod<1>(rclcpp::Duration(0, 5));
  Numbers numbers;
  aligner.registerCallback<0>(numbers.add<0>());
  auto connection = aligner.registerCallback<1>(numbers.add<1>());
  first.add(at<0>(10, 10));
  second.add(at<1>(9, 9));
  first.add(at<0>(13, 13));
  aligner.add<0>(at<0>(15, 15));
  aligner.dispatchMessages();
  EXPECT_EQ((std::vector<int>{9, 10, 13}), numbers.all);
  const auto status = aligner.getQueueStatus<0>();
  EXPECT_TRUE(status.active);
  EXPECT_EQ(1U, status.queue_size);
  EXPECT_EQ(2U, status.msgs_processed);
  second.add(at<1>(12, 12));
  EXPECT_EQ(1U, aligner.getQueueStatus<1>().msgs_dropped);
  connection.disconnect();
  second.add(at<1>(20, 20));
  aligner.dispatchMessages();
  EXPECT_EQ((std::vector<int>{9, 10, 13, 15}), numbers.all);
}

TEST(InputAlignerFilter, a_timer_passes_messages_on)
{
  const auto node = std::make_shared<rclcpp::Node>("aligner");
  message_filters::InputAligner<A, B> aligner(rclcpp::Duration(0, 100));
  PassThrough<A> first;
  PassThrough<A> other;
  PassThrough<B> second;
  aligner.connectInput(other, second);
  aligner.connectInput(first);
  aligner.setupDispatchTimer(node, one_ms);
  Numbers numbers;
  aligner.registerCallback<0>(numbers.add<0>());
  first.add(at<0>(1, 1));
  other.add(at<0>(2, 2));
  EXPECT_TRUE(spinUntil(node, [&numbers] {return numbers.all.size() == 1;}));
  EXPECT_EQ((std::vector<int>{1}), numbers.all);
}

TEST(InputAlignerFilter, a_callback_may_add_messages_and_destroy_it)
{
  auto aligner = std::make_unique<message_filters::InputAligner<A, B>>(rclcpp::Duration(0, 0));
  std::vector<int> numbers;
  aligner->registerCallback<0>(
    [&](const A & a) {
      numbers.push_back(a.number);
      if (a.number == 1) {
        aligner->add<0>(at<0>(2, 2));
      } else {
        aligner.reset();
      }
    });
  aligner->add<0>(at<0>(1, 1));
  aligner->add<0>(at<0>(3, 3));
  aligner->dispatchMessages();
  EXPECT_EQ((std::vector<int>{1, 2}), numbers);
}

}  // namespace
