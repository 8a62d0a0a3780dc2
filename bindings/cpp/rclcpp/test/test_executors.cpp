#include <atomic>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "fixture.hpp"

namespace
{

class Executors : public WithContext {};

TEST_F(Executors, an_exception_of_a_callback_leaves_spin)
{
  auto node = new_node();
  auto timer = node->create_wall_timer(1ms, [] {throw std::logic_error("thrown in a callback");});
  try {
    rclcpp::spin(node);
    FAIL() << "spin returned";
  } catch (const std::logic_error & error) {
    EXPECT_STREQ("thrown in a callback", error.what());
  }
  timer->cancel();
  int calls = 0;
  auto other = node->create_wall_timer(1ms, [&] {++calls;});
  EXPECT_TRUE(spin_until(node, [&] {return calls == 2;})) << "the node is usable afterwards";
}

TEST_F(Executors, an_exception_of_a_thread_of_a_multi_threaded_executor_leaves_spin)
{
  auto node = new_node();
  auto timer = node->create_wall_timer(1ms, [] {throw std::logic_error("thrown in a callback");});
  rclcpp::executors::MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 2);
  executor.add_node(node);
  EXPECT_THROW(executor.spin(), std::logic_error);
}

TEST_F(Executors, cancel_ends_spin)
{
  rclcpp::executors::SingleThreadedExecutor executor;
  auto node = new_node();
  executor.add_node(node);
  auto timer = node->create_wall_timer(1ms, [&] {executor.cancel();});
  executor.spin();
  EXPECT_TRUE(rclcpp::ok());
  EXPECT_FALSE(executor.is_spinning());
}

TEST_F(Executors, the_shutdown_ends_spin)
{
  auto node = new_node();
  auto timer = node->create_wall_timer(1ms, [] {rclcpp::shutdown();});
  rclcpp::spin(node);
  EXPECT_FALSE(rclcpp::ok());
}

TEST_F(Executors, a_node_is_in_one_executor)
{
  auto node = new_node();
  rclcpp::executors::SingleThreadedExecutor first;
  rclcpp::executors::SingleThreadedExecutor second;
  first.add_node(node);
  EXPECT_THROW(second.add_node(node), std::runtime_error);
  first.remove_node(node);
  EXPECT_NO_THROW(second.add_node(node));
}

TEST_F(Executors, spin_some_runs_what_is_ready_and_returns)
{
  auto node = new_node();
  int calls = 0;
  auto subscription = node->create_subscription<std_msgs::msg::String>(
    "some", 10, [&](const std_msgs::msg::String &) {++calls;});
  auto publisher = node->create_publisher<std_msgs::msg::String>("some", 10);
  rclcpp::spin_some(node);
  EXPECT_EQ(0, calls);
  publisher->publish(text("one"));
  publisher->publish(text("two"));
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(node);
  executor.spin_all(1s);
  EXPECT_EQ(2, calls);
  EXPECT_THROW(executor.spin_all(-1s), std::invalid_argument);
}

TEST_F(Executors, a_future_that_does_not_complete_times_out)
{
  auto node = new_node();
  std::promise<void> never;
  auto future = never.get_future();
  EXPECT_EQ(rclcpp::FutureReturnCode::TIMEOUT, rclcpp::spin_until_future_complete(node, future, 1ms));
  auto timer = node->create_wall_timer(1ms, [] {rclcpp::shutdown();});
  EXPECT_EQ(rclcpp::FutureReturnCode::INTERRUPTED, rclcpp::spin_until_future_complete(node, future));
}

/// How many callbacks of a group run at the same time, when two can.
int most_at_once(const rclcpp::Node::SharedPtr & node, rclcpp::CallbackGroupType type)
{
  auto group = node->create_callback_group(type);
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  std::atomic<int> calls{0};
  rclcpp::executors::MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 2);
  const auto work = [&] {
      const int now = ++running;
      if (now > most) {
        most = now;
      }
      // Two callbacks that may run together meet here. Others wait for nobody.
      const auto end = std::chrono::steady_clock::now() + 20ms;
      while (most < 2 && std::chrono::steady_clock::now() < end) {
        std::this_thread::yield();
      }
      --running;
      if (++calls >= 20) {
        executor.cancel();
      }
    };
  auto first = node->create_wall_timer(1ms, work, group);
  auto second = node->create_wall_timer(1ms, work, group);
  executor.add_node(node);
  executor.spin();
  return most;
}

TEST_F(Executors, callbacks_of_a_reentrant_group_run_together)
{
  EXPECT_EQ(2, most_at_once(new_node(), rclcpp::CallbackGroupType::Reentrant));
}

TEST_F(Executors, callbacks_of_a_mutually_exclusive_group_run_one_by_one)
{
  EXPECT_EQ(1, most_at_once(new_node(), rclcpp::CallbackGroupType::MutuallyExclusive));
}

TEST_F(Executors, a_group_can_be_run_by_an_executor_of_its_own)
{
  auto node = new_node();
  auto group = node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive, false);
  int calls = 0;
  auto timer = node->create_wall_timer(1ms, [&] {++calls;}, group);
  rclcpp::executors::SingleThreadedExecutor of_group;
  of_group.add_callback_group(group, node->get_node_base_interface());
  EXPECT_TRUE(spin_until(of_group, [&] {return calls > 0;}));
}

TEST_F(Executors, a_dropped_entity_is_not_called_any_more)
{
  auto node = new_node();
  rclcpp::executors::MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 2);
  executor.add_node(node);
  std::thread spinning([&] {executor.spin();});
  // An executor that does not spin can't be cancelled.
  while (!executor.is_spinning()) {
    std::this_thread::yield();
  }
  for (int round = 0; round < 200; ++round) {
    auto alive = std::make_unique<std::atomic<bool>>(true);
    std::atomic<bool> called_late{false};
    auto timer = node->create_wall_timer(100us, [&called_late, flag = alive.get()] {
          if (!*flag) {
            called_late = true;
          }
        });
    std::this_thread::sleep_for(std::chrono::microseconds(round));
    timer.reset();
    *alive = false;
    EXPECT_FALSE(called_late);
  }
  executor.cancel();
  spinning.join();
}

TEST_F(Executors, the_nodes_and_the_context_can_end_in_any_order)
{
  auto executor = std::make_unique<rclcpp::executors::SingleThreadedExecutor>();
  auto node = new_node();
  auto timer = node->create_wall_timer(1ms, [] {});
  executor->add_node(node);
  node.reset();
  executor->spin_once(1ms);
  timer.reset();
  rclcpp::shutdown();
  executor.reset();
}

}  // namespace
