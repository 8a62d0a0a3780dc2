#include <atomic>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

#include "fixture.hpp"
#include "rcl/error_handling.h"
#include "rclcpp/time_source.hpp"
#include "rosgraph_msgs/msg/clock.hpp"

namespace
{

constexpr rcl_jump_threshold_t EACH_JUMP{true, {1}, {-1}};

/// Has a clock of ROS time that the test sets.
class ClockOfATest : public WithContext
{
protected:
  static void enable(rclcpp::Clock & which) {ASSERT_EQ(RCL_RET_OK, rcl_enable_ros_time_override(which.get_clock_handle()));}

  static void set(rclcpp::Clock & which, int64_t nanoseconds)
  {
    ASSERT_EQ(RCL_RET_OK, rcl_set_ros_time_override(which.get_clock_handle(), nanoseconds));
  }

  /// Returns a node with simulated time.
  static rclcpp::Node::SharedPtr new_simulated_node()
  {
    return new_node(rclcpp::NodeOptions().append_parameter_override("use_sim_time", true));
  }

  /// Publishes times on /clock, and waits until a clock shows them.
  class ClockPublisher
  {
public:
    explicit ClockPublisher(rclcpp::Node::SharedPtr node)
    : node_(node), publisher_(node->create_publisher<rosgraph_msgs::msg::Clock>("/clock", rclcpp::ClockQoS())) {}

    bool publish(const rclcpp::Clock & which, int64_t nanoseconds)
    {
      rosgraph_msgs::msg::Clock message;
      message.clock = rclcpp::Time(nanoseconds);
      publisher_->publish(message);
      return spin_until(node_, [&] {return which.now().nanoseconds() == nanoseconds;});
    }

private:
    rclcpp::Node::SharedPtr node_;
    rclcpp::Publisher<rosgraph_msgs::msg::Clock>::SharedPtr publisher_;
  };

  rclcpp::Clock clock{RCL_ROS_TIME};
};

TEST(TimeOfAMessage, durations_are_added)
{
  const builtin_interfaces::msg::Time message = rclcpp::Time(0, 100'000'000);
  const rclcpp::Duration duration(1, 100'000'000);
  const builtin_interfaces::msg::Time later = message + duration;
  EXPECT_EQ(1, later.sec);
  EXPECT_EQ(200'000'000u, later.nanosec);
  const builtin_interfaces::msg::Time earlier = message - duration;
  EXPECT_EQ(-1, earlier.sec);
  EXPECT_EQ(0u, earlier.nanosec);
  EXPECT_THROW(static_cast<void>(earlier + duration), std::runtime_error);
}

int64_t rcl_now(rclcpp::Clock & which)
{
  rcl_time_point_value_t time = -1;
  EXPECT_EQ(RCL_RET_OK, rcl_clock_get_now(which.get_clock_handle(), &time));
  return time;
}

TEST_F(ClockOfATest, it_has_the_time_that_the_program_sets)
{
  EXPECT_FALSE(clock.ros_time_is_active());
  EXPECT_GT(clock.now().seconds(), 1e9);
  EXPECT_TRUE(clock.started());
  enable(clock);
  EXPECT_TRUE(clock.ros_time_is_active());
  EXPECT_EQ(0, clock.now().nanoseconds());
  EXPECT_FALSE(clock.started());
  set(clock, 42);
  EXPECT_EQ(rclcpp::Time(0, 42, RCL_ROS_TIME), clock.now());
  EXPECT_TRUE(clock.started());
  ASSERT_EQ(RCL_RET_OK, rcl_disable_ros_time_override(clock.get_clock_handle()));
  EXPECT_FALSE(clock.ros_time_is_active());
  EXPECT_GT(clock.now().seconds(), 1e9);
}

TEST_F(ClockOfATest, a_copy_is_the_same_clock)
{
  rclcpp::Clock copy = clock;
  enable(clock);
  set(copy, 3);
  EXPECT_EQ(3, clock.now().nanoseconds());
  EXPECT_EQ(clock.get_clock_handle(), copy.get_clock_handle());
}

TEST_F(ClockOfATest, only_clocks_of_ros_time_can_be_set)
{
  for (const auto kind : {RCL_SYSTEM_TIME, RCL_STEADY_TIME}) {
    rclcpp::Clock other(kind);
    EXPECT_EQ(kind, other.get_clock_type());
    EXPECT_EQ(kind, other.get_clock_handle()->type);
    EXPECT_NE(RCL_RET_OK, rcl_enable_ros_time_override(other.get_clock_handle()));
    rcl_reset_error();
    EXPECT_THROW(other.ros_time_is_active(), rclcpp::exceptions::RCLError);
    const int64_t before = rcl_now(other);
    EXPECT_LE(before, other.now().nanoseconds());
    EXPECT_LE(other.now().nanoseconds(), before + 60'000'000'000);
    EXPECT_TRUE(other.started());
  }
  EXPECT_THROW(rclcpp::Clock{RCL_CLOCK_UNINITIALIZED}, std::invalid_argument);
}

TEST_F(ClockOfATest, handlers_are_called_before_and_after_a_jump)
{
  enable(clock);
  set(clock, 5);
  std::vector<int64_t> times;
  std::vector<int64_t> deltas;
  const auto handler = clock.create_jump_callback(
    [&] {times.push_back(clock.now().nanoseconds());},
    [&](const rcl_time_jump_t & jump) {
      times.push_back(clock.now().nanoseconds());
      deltas.push_back(jump.delta.nanoseconds);
    }, EACH_JUMP);
  set(clock, 9);
  set(clock, 9);
  set(clock, 2);
  EXPECT_EQ(std::vector<int64_t>({5, 9, 9, 2}), times);
  EXPECT_EQ(std::vector<int64_t>({4, -7}), deltas);
}

TEST_F(ClockOfATest, handlers_have_thresholds)
{
  int changes = 0, forward = 0, backward = 0;
  const auto count = [](int & calls) {return [&calls](const rcl_time_jump_t &) {++calls;};};
  const auto first = clock.create_jump_callback(nullptr, count(changes), {true, {0}, {0}});
  const auto second = clock.create_jump_callback(nullptr, count(forward), {false, {100}, {0}});
  const auto third = clock.create_jump_callback(nullptr, count(backward), {false, {0}, {-100}});
  enable(clock);
  EXPECT_EQ(1, changes);
  set(clock, 99);
  EXPECT_EQ(0, forward);
  set(clock, 199);
  EXPECT_EQ(1, forward);
  set(clock, 100);
  EXPECT_EQ(0, backward);
  set(clock, 0);
  EXPECT_EQ(1, backward);
  EXPECT_EQ(1, changes);
  EXPECT_THROW(
    static_cast<void>(clock.create_jump_callback(nullptr, nullptr, {true, {-1}, {0}})), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(clock.create_jump_callback(nullptr, nullptr, {true, {0}, {1}})), std::invalid_argument);
}

TEST_F(ClockOfATest, a_handler_may_end_handlers_and_add_others)
{
  enable(clock);
  int calls = 0;
  rclcpp::JumpHandler::SharedPtr own, added;
  own = clock.create_jump_callback(
    nullptr, [&](const rcl_time_jump_t &) {
      ++calls;
      added = clock.create_jump_callback(nullptr, [&](const rcl_time_jump_t &) {calls += 10;}, EACH_JUMP);
      own.reset();
    }, EACH_JUMP);
  set(clock, 1);
  EXPECT_EQ(1, calls);
  set(clock, 2);
  EXPECT_EQ(11, calls);
  added.reset();
  set(clock, 3);
  EXPECT_EQ(11, calls);
}

TEST_F(ClockOfATest, sleeping_follows_the_time_that_is_set)
{
  enable(clock);
  auto sleeping = std::async(std::launch::async, [&] {return clock.sleep_until(rclcpp::Time(10, 0, RCL_ROS_TIME));});
  set(clock, 9'999'999'999);
  EXPECT_EQ(std::future_status::timeout, sleeping.wait_for(20ms));
  set(clock, 10'000'000'000);
  ASSERT_EQ(std::future_status::ready, sleeping.wait_for(10s));
  EXPECT_TRUE(sleeping.get());
  EXPECT_TRUE(clock.sleep_until(rclcpp::Time(1, 0, RCL_ROS_TIME)));
  EXPECT_TRUE(clock.sleep_for(rclcpp::Duration(-1, 0)));
}

TEST_F(ClockOfATest, sleeping_ends_with_another_source_of_time)
{
  auto sleeping = std::async(std::launch::async, [&] {return clock.sleep_for(1h);});
  EXPECT_EQ(std::future_status::timeout, sleeping.wait_for(20ms));
  enable(clock);
  ASSERT_EQ(std::future_status::ready, sleeping.wait_for(10s));
  EXPECT_FALSE(sleeping.get());
}

TEST_F(ClockOfATest, sleeping_can_be_canceled)
{
  rclcpp::Clock steady(RCL_STEADY_TIME);
  auto sleeping = std::async(std::launch::async, [&] {return steady.sleep_for(1h);});
  while (sleeping.wait_for(1ms) != std::future_status::ready) {
    steady.cancel_sleep_or_wait();
  }
  EXPECT_FALSE(sleeping.get());
  static_cast<void>(steady.sleep_for(1ms));
  EXPECT_TRUE(steady.sleep_for(1ms));
  steady.cancel_sleep_or_wait();
  EXPECT_FALSE(steady.sleep_for(1h));
  EXPECT_THROW(steady.sleep_until(rclcpp::Time(1, 0, RCL_ROS_TIME)), std::runtime_error);
  EXPECT_THROW(steady.sleep_for(1ms, nullptr), std::runtime_error);
}

TEST_F(ClockOfATest, a_thread_can_wait_for_the_start)
{
  EXPECT_TRUE(clock.wait_until_started());
  enable(clock);
  EXPECT_FALSE(clock.wait_until_started(rclcpp::Duration(10ms), rclcpp::contexts::get_global_default_context(), 1ms));
  auto waiting = std::async(std::launch::async, [&] {return clock.wait_until_started();});
  EXPECT_EQ(std::future_status::timeout, waiting.wait_for(20ms));
  set(clock, 1);
  EXPECT_TRUE(waiting.get());
  EXPECT_THROW(clock.wait_until_started(rclcpp::Context::SharedPtr()), std::runtime_error);
}

TEST_F(ClockOfATest, threads_may_set_read_and_watch_it_at_once)
{
  enable(clock);
  std::atomic<bool> ends{false};
  std::atomic<int64_t> last_seen{0};
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
      while (!ends) {
        const auto handler = clock.create_jump_callback(
          nullptr, [&](const rcl_time_jump_t &) {last_seen = clock.now().nanoseconds();}, EACH_JUMP);
        std::this_thread::yield();
      }
    });
  threads.emplace_back([&] {
      for (int64_t time = 0; time < 2000; ) {
        const int64_t next = clock.now().nanoseconds();
        EXPECT_GE(next, time);
        time = next;
      }
    });
  for (int64_t time = 1; time <= 2000; ++time) {
    set(clock, time);
  }
  ends = true;
  for (std::thread & thread : threads) {
    thread.join();
  }
  EXPECT_LE(last_seen, 2000);
}

TEST_F(ClockOfATest, the_clock_of_a_node_shows_simulated_time_also_in_rcl)
{
  auto node = new_simulated_node();
  ClockPublisher publisher(node);
  rclcpp::Clock & clock_of_node = *node->get_clock();
  EXPECT_TRUE(clock_of_node.ros_time_is_active());
  EXPECT_EQ(0, rcl_now(clock_of_node));
  std::vector<int64_t> deltas;
  const auto handler = clock_of_node.create_jump_callback(
    nullptr, [&](const rcl_time_jump_t & jump) {deltas.push_back(jump.delta.nanoseconds);}, EACH_JUMP);
  ASSERT_TRUE(publisher.publish(clock_of_node, 50));
  EXPECT_EQ(50, rcl_now(clock_of_node));
  ASSERT_TRUE(publisher.publish(clock_of_node, 20));
  EXPECT_EQ(std::vector<int64_t>({50, -30}), deltas);
  node->set_parameter(rclcpp::Parameter("use_sim_time", false));
  EXPECT_FALSE(clock_of_node.ros_time_is_active());
  EXPECT_GT(clock_of_node.now().seconds(), 1e9);
  EXPECT_GT(rcl_now(clock_of_node), 1'000'000'000'000'000'000);
  EXPECT_EQ(std::vector<int64_t>({50, -30, 0}), deltas);
}

TEST_F(ClockOfATest, a_program_may_set_the_clock_of_a_node)
{
  auto node = new_node();
  rclcpp::Clock & clock_of_node = *node->get_clock();
  enable(clock_of_node);
  set(clock_of_node, 7);
  EXPECT_EQ(7, node->now().nanoseconds());
  node->set_parameter(rclcpp::Parameter("use_sim_time", true));
  EXPECT_EQ(0, node->now().nanoseconds());
  set(clock_of_node, 9);
  EXPECT_EQ(9, node->now().nanoseconds());
  ClockPublisher publisher(node);
  EXPECT_TRUE(publisher.publish(clock_of_node, 30));
  ASSERT_EQ(RCL_RET_OK, rcl_disable_ros_time_override(clock_of_node.get_clock_handle()));
  EXPECT_GT(node->now().seconds(), 1e9);
}

class TimeSources : public ClockOfATest {};

TEST_F(TimeSources, attached_clocks_have_the_time_of_the_node)
{
  auto node = new_simulated_node();
  ClockPublisher publisher(node);
  auto first = std::make_shared<rclcpp::Clock>(RCL_ROS_TIME);
  auto second = std::make_shared<rclcpp::Clock>(RCL_ROS_TIME);
  rclcpp::TimeSource source;
  source.attachClock(first);
  EXPECT_FALSE(first->ros_time_is_active());
  source.attachNode(node);
  EXPECT_TRUE(first->ros_time_is_active());
  EXPECT_EQ(0, first->now().nanoseconds());
  ASSERT_TRUE(publisher.publish(*first, 100));
  source.attachClock(second);
  EXPECT_EQ(100, second->now().nanoseconds());
  ASSERT_TRUE(publisher.publish(*second, 110));
  EXPECT_EQ(110, first->now().nanoseconds());
  source.detachClock(first);
  ASSERT_TRUE(publisher.publish(*second, 120));
  EXPECT_EQ(110, first->now().nanoseconds());
  source.detachNode();
  source.detachNode();
  EXPECT_FALSE(second->ros_time_is_active());
}

TEST_F(TimeSources, the_parameter_of_the_node_switches_the_clocks)
{
  auto node = new_node();
  auto attached = std::make_shared<rclcpp::Clock>(RCL_ROS_TIME);
  rclcpp::TimeSource source(node);
  source.attachClock(attached);
  source.attachClock(attached);
  source.attachClock(node->get_clock());
  int changes = 0;
  const auto handler = attached->create_jump_callback(nullptr, [&](const rcl_time_jump_t &) {++changes;}, {true, {0}, {0}});
  EXPECT_FALSE(attached->ros_time_is_active());
  for (const bool is_simulated : {true, false, true}) {
    node->set_parameter(rclcpp::Parameter("use_sim_time", is_simulated));
    EXPECT_EQ(is_simulated, attached->ros_time_is_active());
    EXPECT_EQ(is_simulated, source.clock_thread_is_joinable());
  }
  EXPECT_EQ(3, changes);
  EXPECT_THROW(source.attachClock(std::make_shared<rclcpp::Clock>(RCL_STEADY_TIME)), std::invalid_argument);
}

TEST_F(TimeSources, a_source_may_get_another_node_and_end_before_its_clocks)
{
  auto simulated = new_simulated_node();
  auto other = std::make_shared<rclcpp::Node>("other");
  auto attached = std::make_shared<rclcpp::Clock>(RCL_ROS_TIME);
  {
    rclcpp::TimeSource source(rclcpp::ClockQoS(), false);
    EXPECT_FALSE(source.get_use_clock_thread());
    source.set_use_clock_thread(true);
    EXPECT_TRUE(source.get_use_clock_thread());
    const auto options = rclcpp::NodeOptions().use_clock_thread(false);
    source.attachNode(std::make_shared<rclcpp::Node>("without_thread", options));
    EXPECT_FALSE(source.get_use_clock_thread()) << "it is that of the node";
    source.attachNode(simulated);
    EXPECT_TRUE(source.get_use_clock_thread());
    source.attachClock(attached);
    EXPECT_TRUE(attached->ros_time_is_active());
    source.attachNode(
      other->get_node_base_interface(), other->get_node_topics_interface(), other->get_node_graph_interface(),
      other->get_node_services_interface(), other->get_node_logging_interface(), other->get_node_clock_interface(),
      other->get_node_parameters_interface());
    EXPECT_FALSE(attached->ros_time_is_active());
    source.attachNode(simulated);
    rclcpp::TimeSource moved(std::move(source));
    EXPECT_TRUE(attached->ros_time_is_active());
  }
  EXPECT_FALSE(attached->ros_time_is_active());
  simulated->set_parameter(rclcpp::Parameter("use_sim_time", false));
}

}  // namespace
