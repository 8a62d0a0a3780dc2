// What users of ROS 2 have complained about in public issues, and what is better here. Each test names its issues. Other tests of the
// kind: groups and entities of threads in test_executors.cpp, forms of callbacks in test_topics.cpp, calls without an answer in
// test_services.cpp, the refused code in tests/packages/refused.sh, actions in rclcpp_action, containers in tests/packages/components.sh.
#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "example_interfaces/srv/add_two_ints.hpp"
#include "fixture.hpp"

namespace
{

using AddTwoInts = example_interfaces::srv::AddTwoInts;
using String = std_msgs::msg::String;

class Complaints : public WithContext {};

/// Returns the text of the exception that a function throws.
template<typename Function>
std::string thrown_by(Function function)
{
  try {
    function();
  } catch (const std::exception & error) {
    return error.what();
  }
  return "nothing was thrown";
}

bool contains(const std::string & text, const std::string & part) {return text.find(part) != std::string::npos;}

rclcpp::Service<AddTwoInts>::SharedPtr new_server(const rclcpp::Node::SharedPtr & node, const std::string & name)
{
  return node->create_service<AddTwoInts>(
    name, [](const AddTwoInts::Request::SharedPtr request, AddTwoInts::Response::SharedPtr response) {
      response->sum = request->a + request->b;
    });
}

}  // namespace

// rclcpp 773, 312, 2278
TEST_F(Complaints, a_callback_that_spins_its_own_node_is_told_what_to_do_instead)
{
  auto node = new_node();
  rclcpp::executors::SingleThreadedExecutor executor;
  std::promise<void> never;
  const auto future = never.get_future().share();
  std::vector<std::string> texts;
  auto timer = node->create_wall_timer(1ms, [&] {
      texts.push_back(thrown_by([&] {rclcpp::spin_until_future_complete(node, future);}));
      texts.push_back(thrown_by([&] {rclcpp::spin_some(node);}));
      texts.push_back(thrown_by([&] {executor.spin_until_future_complete(future);}));
      executor.cancel();
    });
  executor.add_node(node);
  executor.spin();
  ASSERT_EQ(3u, texts.size());
  EXPECT_TRUE(contains(texts[0], "has already been added to an executor.")) << texts[0];
  for (const std::string & text : texts) {
    EXPECT_TRUE(contains(text, "wait for the future in another thread")) << text;
  }
}

// rclcpp 1916
TEST_F(Complaints, a_future_that_another_thread_completes_ends_the_spin)
{
  auto node = new_node();
  std::promise<void> spins;
  std::promise<int> promise;
  const auto future = promise.get_future().share();
  rclcpp::TimerBase::SharedPtr timer = node->create_wall_timer(1ms, [&] {
      timer->cancel();
      spins.set_value();
    });
  std::thread other([&] {
      spins.get_future().wait();
      promise.set_value(3);
    });
  EXPECT_EQ(rclcpp::FutureReturnCode::SUCCESS, rclcpp::spin_until_future_complete(node, future, 10s));
  other.join();
}

// rclcpp 2645
TEST_F(Complaints, two_timers_of_a_group_run_in_turn_on_several_threads)
{
  auto node = new_node();
  std::map<int, int> calls;
  std::vector<int> order;
  rclcpp::executors::MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 3);
  rclcpp::TimerBase::SharedPtr first;
  rclcpp::TimerBase::SharedPtr second;
  const auto calling = [&](int timer) {
      return [&, timer] {
               // When this ends, both are due again, so that the executor has to choose.
               while (!first->is_ready() || !second->is_ready()) {
                 std::this_thread::yield();
               }
               order.push_back(timer);
               if (order.size() == 100) {
                 executor.cancel();
               }
             };
    };
  first = node->create_wall_timer(1ms, calling(1));
  second = node->create_wall_timer(1ms, calling(2));
  executor.add_node(node);
  executor.spin();
  for (const int timer : order) {
    ++calls[timer];
  }
  EXPECT_GE(calls[1], 45);
  EXPECT_GE(calls[2], 45);
}

// rclcpp 3240, 832
TEST_F(Complaints, a_group_gets_all_its_messages_on_several_threads)
{
  constexpr size_t COUNT = 1000;
  auto node = new_node();
  auto group = node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
  rclcpp::SubscriptionOptions options;
  options.callback_group = group;
  std::atomic<size_t> received{0};
  rclcpp::executors::MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 4);
  std::vector<rclcpp::Subscription<String>::SharedPtr> subscriptions;
  for (const char * topic : {"first", "second"}) {
    subscriptions.push_back(
      node->create_subscription<String>(
        topic, rclcpp::QoS(COUNT), [&](const String &) {
          if (++received == 2 * COUNT) {
            executor.cancel();
          }
        }, options));
  }
  auto first = node->create_publisher<String>("first", rclcpp::QoS(COUNT));
  auto second = node->create_publisher<String>("second", rclcpp::QoS(COUNT));
  executor.add_node(node);
  std::thread publishing([&] {
      for (size_t index = 0; index < COUNT; ++index) {
        first->publish(text("1"));
        second->publish(text("2"));
      }
    });
  executor.spin();
  publishing.join();
  EXPECT_EQ(2 * COUNT, received);
}

// rclcpp 979, 1009
TEST_F(Complaints, an_integer_for_a_double_is_told_with_its_place_and_how_to_write_it)
{
  rclcpp::NodeOptions options;
  options.arguments({"--ros-args", "-p", "rate:=50"});
  auto node = new_node(options);
  const std::string text = thrown_by([&] {node->declare_parameter("rate", 10.0);});
  EXPECT_TRUE(contains(text, "rate")) << text;
  EXPECT_TRUE(contains(text, "-p rate:=50")) << text;
  EXPECT_TRUE(contains(text, "a double has a decimal point, such as 50.0")) << text;
}

// rclcpp 2053
TEST_F(Complaints, a_group_that_the_program_does_not_keep_runs_its_callbacks)
{
  auto node = new_node();
  int calls = 0;
  rclcpp::Subscription<String>::SharedPtr subscription;
  rclcpp::TimerBase::SharedPtr timer;
  {
    auto group = node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
    rclcpp::SubscriptionOptions options;
    options.callback_group = group;
    subscription = node->create_subscription<String>("kept", 10, [&](const String &) {++calls;}, options);
    timer = node->create_wall_timer(1ms, [&] {calls += 100;}, group);
  }
  auto publisher = node->create_publisher<String>("kept", 10);
  publisher->publish(text("one"));
  EXPECT_TRUE(spin_until(node, [&] {return calls % 100 == 1 && calls > 100;}));
}

// rclcpp 1066, 610, 812
TEST_F(Complaints, nothing_throws_after_the_shutdown)
{
  auto node = new_node();
  auto publisher = node->create_publisher<String>("late", 10);
  auto client = node->create_client<AddTwoInts>("late");
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(node);
  rclcpp::shutdown();
  EXPECT_NO_THROW(publisher->publish(text("late")));
  EXPECT_NO_THROW(executor.spin_some());
  EXPECT_NO_THROW(executor.spin_once(1ms));
  EXPECT_NO_THROW(executor.spin());
  EXPECT_NO_THROW(node->get_node_names());
  EXPECT_NO_THROW(node->get_topic_names_and_types());
  EXPECT_NO_THROW(node->count_publishers("late"));
  const auto log = [&] {RCLCPP_INFO(node->get_logger(), "late");};
  EXPECT_NO_THROW(log());
  EXPECT_FALSE(client->wait_for_service(1ms));
  EXPECT_FALSE(client->service_is_ready());
}

// rclcpp 2547
TEST_F(Complaints, what_runs_before_the_shutdown_can_still_publish)
{
  rclcpp::Context::SharedPtr context = std::make_shared<rclcpp::Context>();
  context->init(0, nullptr);
  auto ending = std::make_shared<rclcpp::Node>("ending", rclcpp::NodeOptions().context(context));
  auto publisher = ending->create_publisher<String>("goodbye", 10);
  auto node = new_node();
  std::string received;
  auto subscription =
    node->create_subscription<String>("goodbye", 10, [&](const String & message) {received = message.data;});
  ASSERT_TRUE(spin_until(node, [&] {return publisher->get_subscription_count() == 1;}));
  bool was_valid = false;
  context->add_pre_shutdown_callback([&] {
      was_valid = context->is_valid();
      publisher->publish(text("bye"));
    });
  context->shutdown("the test ends it");
  EXPECT_TRUE(was_valid);
  EXPECT_TRUE(spin_until(node, [&] {return received == "bye";}));
}

// rclcpp 2068, 2760
TEST_F(Complaints, a_call_right_after_the_discovery_is_answered)
{
  auto node = new_node();
  auto other = std::make_shared<rclcpp::Node>("other");
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(other);
  std::thread spinning([&executor] {executor.spin();});
  rclcpp::Service<AddTwoInts>::SharedPtr server;
  for (int round = 0; round < 50; ++round) {
    const std::string name = "call_" + std::to_string(round);
    auto client = node->create_client<AddTwoInts>(name);
    std::thread opening([&, name] {server = new_server(other, name);});
    const bool is_there = client->wait_for_service(10s);
    EXPECT_TRUE(is_there);
    if (is_there) {
      auto request = std::make_shared<AddTwoInts::Request>();
      request->a = round;
      auto call = client->async_send_request(request);
      EXPECT_EQ(rclcpp::FutureReturnCode::SUCCESS, rclcpp::spin_until_future_complete(node, call, 10s));
    }
    opening.join();
  }
  executor.cancel();
  spinning.join();
}

// message_filters 117
TEST_F(Complaints, times_that_do_not_compare_are_told_with_their_clocks)
{
  auto node = new_node();
  const rclcpp::Time unset;
  const std::string text = thrown_by([&] {static_cast<void>(node->now() < unset);});
  EXPECT_TRUE(contains(text, "can't compare times with different time sources")) << text;
  EXPECT_TRUE(contains(text, "a time that is made without a clock is of RCL_SYSTEM_TIME")) << text;
}

// rmw_cyclonedds 469, rclcpp 2335
TEST_F(Complaints, a_message_that_a_program_keeps_does_not_change)
{
  auto node = new_node();
  std::vector<String::ConstSharedPtr> kept;
  auto subscription =
    node->create_subscription<String>("kept", 1, [&](String::ConstSharedPtr message) {kept.push_back(message);});
  auto publisher = node->create_publisher<String>("kept", 1);
  for (size_t index = 0; index < 50; ++index) {
    auto loan = publisher->borrow_loaned_message();
    loan.get().data = std::string(100, static_cast<char>('a' + index % 26));
    publisher->publish(std::move(loan));
    ASSERT_TRUE(spin_until(node, [&] {return kept.size() == index + 1;}));
  }
  for (size_t index = 0; index < kept.size(); ++index) {
    EXPECT_EQ(std::string(100, static_cast<char>('a' + index % 26)), kept[index]->data);
  }
}

// rclcpp 2678
TEST_F(Complaints, the_end_of_a_subscription_waits_for_its_callback_on_another_thread)
{
  auto node = new_node();
  std::promise<void> begun, destroyed;
  std::atomic<bool> has_ended{false};
  auto subscription = node->create_subscription<String>(
    "slow", 10, [&, was_destroyed = destroyed.get_future()](const String &) {
      begun.set_value();
      // An end that does not wait comes back while this callback runs.
      EXPECT_EQ(std::future_status::timeout, was_destroyed.wait_for(50ms));
      has_ended = true;
    });
  auto publisher = node->create_publisher<String>("slow", 10);
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(node);
  publisher->publish(text("one"));
  std::thread spinning([&executor] {executor.spin();});
  begun.get_future().wait();
  subscription.reset();
  EXPECT_TRUE(has_ended);
  destroyed.set_value();
  executor.cancel();
  spinning.join();
}

// rclcpp 813
TEST_F(Complaints, entities_are_added_while_another_thread_spins)
{
  auto node = new_node();
  rclcpp::executors::MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 2);
  executor.add_node(node);
  std::thread spinning([&executor] {executor.spin();});
  std::atomic<int> calls{0};
  for (int round = 0; round < 100; ++round) {
    auto subscription = node->create_subscription<String>("added", 10, [&](const String &) {++calls;});
    auto publisher = node->create_publisher<String>("added", 10);
    auto timer = node->create_wall_timer(1ms, [] {});
    const int before = calls;
    publisher->publish(text("one"));
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (calls == before && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
    }
    ASSERT_GT(calls, before);
  }
  executor.cancel();
  spinning.join();
}
