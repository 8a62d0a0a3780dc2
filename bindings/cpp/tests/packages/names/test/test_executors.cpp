// Executors, callback groups and wait sets.
#include "common.hpp"

#include <atomic>

namespace
{

class Executors : public WithNode {};

}  // namespace

TEST_F(Executors, spin_ends_with_the_context)
{
  auto timer = node->create_wall_timer(5ms, [] {rclcpp::shutdown();});
  rclcpp::spin(node);
  EXPECT_FALSE(rclcpp::ok());
}

TEST_F(Executors, a_single_thread_runs_all_nodes)
{
  auto other = std::make_shared<rclcpp::Node>("other");
  rclcpp::executors::SingleThreadedExecutor executor;
  std::vector<std::thread::id> threads;
  auto first = node->create_wall_timer(1ms, [&] {threads.push_back(std::this_thread::get_id());});
  auto second = other->create_wall_timer(
    1ms, [&] {
      threads.push_back(std::this_thread::get_id());
      if (threads.size() >= 4) {
        executor.cancel();
      }
    });
  executor.add_node(node);
  executor.add_node(other->get_node_base_interface());
  EXPECT_THROW(executor.add_node(node), std::runtime_error);
  executor.spin();
  EXPECT_EQ(threads, std::vector<std::thread::id>(threads.size(), std::this_thread::get_id()));
  EXPECT_FALSE(executor.is_spinning());
  executor.remove_node(other);
  executor.spin_some();
  executor.spin_once(0ms);
}

TEST_F(Executors, several_threads_run_a_reentrant_group)
{
  rclcpp::CallbackGroup::SharedPtr group = node->create_callback_group(rclcpp::CallbackGroupType::Reentrant);
  std::atomic_int running{0};
  std::atomic_bool together{false};
  rclcpp::executors::MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 2);
  const auto end = std::chrono::steady_clock::now() + 10s;
  auto timer = node->create_wall_timer(
    1ms, [&] {
      ++running;
      // The first call ends only when a second one runs too.
      while (running < 2 && std::chrono::steady_clock::now() < end) {
        std::this_thread::yield();
      }
      together = running >= 2;
      executor.cancel();
    }, group);
  executor.add_node(node);
  EXPECT_EQ(executor.get_number_of_threads(), 2u);
  executor.spin();
  EXPECT_TRUE(together);
}

TEST_F(Executors, callbacks_of_a_mutually_exclusive_group_run_one_by_one)
{
  auto group = node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
  std::atomic_int running{0};
  std::atomic_int most{0};
  std::atomic_int calls{0};
  std::shared_ptr<rclcpp::Executor> executor = std::make_shared<rclcpp::executors::MultiThreadedExecutor>();
  const auto work = [&] {
      most = std::max<int>(most, ++running);
      std::this_thread::sleep_for(2ms);
      --running;
      if (++calls == 6) {
        executor->cancel();
      }
    };
  auto first = node->create_wall_timer(1ms, work, group);
  auto second = node->create_wall_timer(1ms, work, group);
  executor->add_node(node);
  executor->spin();
  EXPECT_EQ(most, 1);
}

TEST_F(Executors, a_future_ends_a_spin)
{
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(node);
  std::promise<int> promise;
  auto timer = node->create_wall_timer(5ms, [&, set = false]() mutable {
        if (!std::exchange(set, true)) {
          promise.set_value(1);
        }
      });
  auto future = promise.get_future().share();
  const rclcpp::FutureReturnCode code = executor.spin_until_future_complete(future, 10s);
  EXPECT_EQ(code, rclcpp::FutureReturnCode::SUCCESS);
  std::promise<int> never;
  auto unset = never.get_future().share();
  EXPECT_EQ(executor.spin_until_future_complete(unset, 1ms), rclcpp::FutureReturnCode::TIMEOUT);
}

TEST_F(Executors, options_have_the_context)
{
  rclcpp::ExecutorOptions options;
  EXPECT_EQ(options.context, rclcpp::contexts::get_global_default_context());
  rclcpp::executors::SingleThreadedExecutor executor(options);
  EXPECT_FALSE(executor.is_spinning());
}

TEST_F(Executors, a_wait_set_is_ready_with_a_message)
{
  auto subscription = node->create_subscription<Text>("words", 10, [](const Text &) {});
  rclcpp::WaitSet wait_set;
  wait_set.add_subscription(subscription);
  EXPECT_EQ(wait_set.wait(1ms).kind(), rclcpp::WaitResultKind::Timeout);
  auto publisher = node->create_publisher<Text>("words", 10);
  publisher->publish(text("x"));
  const auto result = wait_set.wait(10s);
  EXPECT_EQ(result.kind(), rclcpp::WaitResultKind::Ready);
  Text message;
  rclcpp::MessageInfo info;
  EXPECT_TRUE(subscription->take(message, info));
  EXPECT_EQ(message.data, "x");
}
