// Times, durations, clocks and rates.
#include "common.hpp"

#include "builtin_interfaces/msg/duration.hpp"
#include "builtin_interfaces/msg/time.hpp"
#include "rcl/time.h"
#include "rclcpp/time_source.hpp"

namespace
{

class Clocks : public WithNode {};

}  // namespace

TEST(Times, they_are_added_and_compared)
{
  const rclcpp::Time start(5, 500000000, RCL_ROS_TIME);
  EXPECT_EQ(start.nanoseconds(), 5500000000);
  EXPECT_EQ(start.seconds(), 5.5);
  EXPECT_EQ(start.get_clock_type(), RCL_ROS_TIME);
  const rclcpp::Time end = start + rclcpp::Duration::from_seconds(0.5);
  EXPECT_EQ((end - start).nanoseconds(), 500000000);
  EXPECT_GT(end, start);
  EXPECT_THROW((void)(start < rclcpp::Time(1, 0, RCL_STEADY_TIME)), std::runtime_error);
}

TEST(Times, they_are_messages)
{
  builtin_interfaces::msg::Time stamp = rclcpp::Time(3, 4);
  EXPECT_EQ(stamp.sec, 3);
  EXPECT_EQ(stamp.nanosec, 4u);
  EXPECT_EQ(rclcpp::Time(stamp).get_clock_type(), RCL_ROS_TIME);
  EXPECT_EQ(rclcpp::Time(stamp, RCL_SYSTEM_TIME), rclcpp::Time(3, 4, RCL_SYSTEM_TIME));
}

TEST(Durations, they_convert)
{
  const auto duration = rclcpp::Duration::from_seconds(1.5);
  EXPECT_EQ(duration.seconds(), 1.5);
  EXPECT_EQ(duration.to_chrono<std::chrono::milliseconds>(), 1500ms);
  EXPECT_EQ(rclcpp::Duration::from_nanoseconds(1500000000), duration);
  EXPECT_EQ(rclcpp::Duration(1, 500000000), duration);
  EXPECT_EQ(rclcpp::Duration(1500ms), duration);
  const builtin_interfaces::msg::Duration message = duration;
  EXPECT_EQ(message.nanosec, 500000000u);
  const rcl_duration_value_t nanoseconds = duration.nanoseconds();
  EXPECT_EQ(nanoseconds, 1500000000);
}

TEST_F(Clocks, the_clock_of_a_node_is_that_of_ros)
{
  rclcpp::Clock::SharedPtr clock = node->get_clock();
  EXPECT_EQ(clock->get_clock_type(), RCL_ROS_TIME);
  const rclcpp::Time first = node->now();
  EXPECT_LE(first, clock->now());
  EXPECT_LE(first, this->node->get_clock()->now());
}

TEST_F(Clocks, clocks_are_of_a_type)
{
  rclcpp::Clock steady(RCL_STEADY_TIME);
  EXPECT_EQ(steady.now().get_clock_type(), RCL_STEADY_TIME);
  EXPECT_EQ(rclcpp::Clock(RCL_SYSTEM_TIME).get_clock_type(), RCL_SYSTEM_TIME);
  EXPECT_EQ(std::make_shared<rclcpp::Clock>(RCL_ROS_TIME)->get_clock_type(), RCL_ROS_TIME);
}

TEST_F(Clocks, sleeping_takes_time)
{
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(rclcpp::sleep_for(5ms));
  EXPECT_TRUE(node->get_clock()->sleep_for(rclcpp::Duration(5ms)));
  EXPECT_TRUE(node->get_clock()->sleep_until(node->now() + rclcpp::Duration(5ms)));
  EXPECT_GE(std::chrono::steady_clock::now() - start, 14ms);
}

TEST_F(Clocks, rates_keep_a_period)
{
  const auto start = std::chrono::steady_clock::now();
  rclcpp::Rate rate(200);
  rclcpp::WallRate wall_rate(5ms);
  for (int count = 0; count < 2 && rclcpp::ok(); ++count) {
    rate.sleep();
    wall_rate.sleep();
  }
  EXPECT_GE(std::chrono::steady_clock::now() - start, 9ms);
}

TEST_F(Clocks, shutdown_ends_a_sleep)
{
  std::thread thread([] {
      std::this_thread::sleep_for(10ms);
      rclcpp::shutdown();
    });
  EXPECT_FALSE(rclcpp::sleep_for(1h));
  thread.join();
}

TEST_F(Clocks, a_time_source_gives_simulated_time)
{
  auto simulated = std::make_shared<rclcpp::Node>(
    "simulated", rclcpp::NodeOptions().append_parameter_override("use_sim_time", true));
  EXPECT_EQ(simulated->now().nanoseconds(), 0) << "there is no /clock yet";
  rclcpp::TimeSource source(node);
  auto clock = std::make_shared<rclcpp::Clock>(RCL_ROS_TIME);
  source.attachClock(clock);
  EXPECT_FALSE(clock->ros_time_is_active());
  node->set_parameter({"use_sim_time", true});
  EXPECT_TRUE(spin_until([&] {return clock->ros_time_is_active();}));
}
