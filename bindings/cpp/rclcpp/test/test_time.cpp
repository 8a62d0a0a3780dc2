#include <atomic>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>

#include "builtin_interfaces/msg/time.hpp"
#include "fixture.hpp"
#include "rosgraph_msgs/msg/clock.hpp"

namespace
{

class Times : public WithContext {};

TEST_F(Times, times_and_durations_can_be_added_and_compared)
{
  const rclcpp::Time start(10, 500'000'000, RCL_ROS_TIME);
  const rclcpp::Duration half = rclcpp::Duration::from_seconds(0.5);
  EXPECT_EQ(11.0, (start + half).seconds());
  EXPECT_EQ(half, (start + half) - start);
  EXPECT_LT(start, start + half);
  EXPECT_EQ(250'000'000, (half * 0.5).nanoseconds());
  EXPECT_EQ(std::chrono::milliseconds(500), half.to_chrono<std::chrono::milliseconds>());
  EXPECT_EQ(rclcpp::Duration(500ms), half);
}

TEST_F(Times, times_of_different_clocks_do_not_compare)
{
  const rclcpp::Time ros(1, 0, RCL_ROS_TIME);
  const rclcpp::Time system(1, 0, RCL_SYSTEM_TIME);
  EXPECT_THROW(static_cast<void>(ros < system), std::runtime_error);
  EXPECT_THROW(static_cast<void>(ros - system), std::runtime_error);
}

TEST_F(Times, what_does_not_fit_is_told)
{
  const rclcpp::Time last(std::numeric_limits<int64_t>::max());
  EXPECT_THROW(static_cast<void>(last + rclcpp::Duration(1, 0)), std::overflow_error);
  EXPECT_THROW(rclcpp::Time(-1, 0), std::runtime_error);
  const auto longest = rclcpp::Duration::from_nanoseconds(std::numeric_limits<int64_t>::max());
  EXPECT_THROW(static_cast<void>(longest + rclcpp::Duration(1, 0)), std::overflow_error);
}

TEST_F(Times, messages_and_times_convert)
{
  builtin_interfaces::msg::Time message = rclcpp::Time(7, 9);
  EXPECT_EQ(7, message.sec);
  EXPECT_EQ(9u, message.nanosec);
  EXPECT_EQ(rclcpp::Time(7, 9, RCL_ROS_TIME), rclcpp::Time(message));
}

TEST_F(Times, a_wall_timer_keeps_its_period)
{
  auto node = new_node();
  int calls = 0;
  auto timer = node->create_wall_timer(10ms, [&] {++calls;});
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(spin_until(node, [&] {return calls == 5;}));
  EXPECT_GE(std::chrono::steady_clock::now() - start, 50ms);
  timer->cancel();
  EXPECT_TRUE(timer->is_canceled());
  timer->reset();
  EXPECT_FALSE(timer->is_canceled());
}

TEST_F(Times, simulated_time_comes_from_the_clock_topic)
{
  rclcpp::NodeOptions options;
  options.append_parameter_override("use_sim_time", true);
  auto node = new_node(options);
  auto publisher = node->create_publisher<rosgraph_msgs::msg::Clock>("/clock", rclcpp::ClockQoS());
  EXPECT_EQ(0, node->now().nanoseconds());
  rosgraph_msgs::msg::Clock clock;
  clock.clock.sec = 100;
  publisher->publish(clock);
  EXPECT_TRUE(spin_until(node, [&] {return node->now().seconds() == 100.0;})) << node->now().seconds();
}

TEST_F(Times, simulated_time_goes_on_though_nobody_spins)
{
  rclcpp::NodeOptions options;
  options.append_parameter_override("use_sim_time", true);
  auto node = new_node(options);
  auto publisher = node->create_publisher<rosgraph_msgs::msg::Clock>("/clock", rclcpp::ClockQoS());
  std::atomic<bool> is_done{false};
  std::thread simulator([&] {
      rosgraph_msgs::msg::Clock clock;
      clock.clock.sec = 1;
      while (!is_done) {
        clock.clock.sec += 1;
        publisher->publish(clock);
        std::this_thread::sleep_for(1ms);  // The speed of the simulation.
      }
    });
  rclcpp::Rate rate(1.0, node->get_clock());
  for (int step = 0; step < 3; ++step) {
    rate.sleep();
  }
  EXPECT_TRUE(node->get_clock()->sleep_for(rclcpp::Duration(5, 0)));
  is_done = true;
  simulator.join();
  EXPECT_GE(node->now().seconds(), 8.0);
}

TEST_F(Times, a_rate_says_that_it_is_late)
{
  rclcpp::WallRate rate(1000.0);
  EXPECT_EQ(1ms, rclcpp::Duration(rate.period()).to_chrono<std::chrono::milliseconds>());
  EXPECT_TRUE(rate.sleep());
  const auto end = std::chrono::steady_clock::now() + 10ms;
  while (std::chrono::steady_clock::now() < end) {
  }
  EXPECT_FALSE(rate.sleep());
  EXPECT_THROW(rclcpp::Rate(0.0), std::invalid_argument);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
TEST_F(Times, a_rate_by_a_clock_of_the_program)
{
  rclcpp::GenericRate<std::chrono::steady_clock> rate(1ms);
  EXPECT_EQ(1ms, rate.period());
  EXPECT_TRUE(rate.is_steady());
  EXPECT_EQ(RCL_STEADY_TIME, rate.get_type());
  EXPECT_TRUE(rate.sleep());
  const auto end = std::chrono::steady_clock::now() + 10ms;
  while (std::chrono::steady_clock::now() < end) {
  }
  EXPECT_FALSE(rate.sleep());
  EXPECT_EQ(RCL_SYSTEM_TIME, rclcpp::GenericRate<std::chrono::system_clock>(10.0).get_type());
  EXPECT_THROW(rclcpp::GenericRate<>(0.0), std::invalid_argument);
}
#pragma GCC diagnostic pop

TEST_F(Times, sleeping_ends_with_the_shutdown)
{
  EXPECT_TRUE(rclcpp::sleep_for(1ms));
  auto node = new_node();
  auto timer = node->create_wall_timer(1ms, [] {rclcpp::shutdown();});
  std::thread spinning([&] {rclcpp::spin(node);});
  EXPECT_FALSE(rclcpp::sleep_for(1h));
  spinning.join();
}

}  // namespace
