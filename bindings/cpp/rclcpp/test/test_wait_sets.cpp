// Wait sets, guard conditions and waitables.
#include <thread>

#include "example_interfaces/srv/add_two_ints.hpp"
#include "fixture.hpp"

namespace
{

using AddTwoInts = example_interfaces::srv::AddTwoInts;
using String = std_msgs::msg::String;

/// A test with a node whose entities nothing runs.
class WaitSets : public WithContext
{
protected:
  rclcpp::Subscription<String>::SharedPtr subscribe(size_t depth = 10)
  {
    const auto fail = [](const String &) {FAIL() << "nothing calls the callback";};
    return node_->create_subscription<String>("~/topic", depth, fail);
  }

  rclcpp::Publisher<String>::SharedPtr publisher() {return node_->create_publisher<String>("~/topic", 10);}

  rclcpp::Node::SharedPtr node_ = new_node();
};

/// A waitable with a guard condition, which counts how often it is executed.
class Counter : public rclcpp::Waitable
{
public:
  size_t get_number_of_ready_guard_conditions() override {return 1;}
  void add_to_wait_set(rcl_wait_set_t & wait_set) override {guard.add_to_wait_set(wait_set);}
  bool is_ready(const rcl_wait_set_t & wait_set) override
  {
    for (size_t index = 0; index < wait_set.size_of_guard_conditions; ++index) {
      if (wait_set.guard_conditions[index] == &guard.get_rcl_guard_condition()) {
        return true;
      }
    }
    return false;
  }
  std::shared_ptr<void> take_data() override {return nullptr;}
  void execute(const std::shared_ptr<void> &) override {count += 1;}

  rclcpp::GuardCondition guard;
  std::atomic_int count{0};
};

TEST_F(WaitSets, empty_wait_set_waits_for_nothing)
{
  rclcpp::WaitSet wait_set;
  const auto result = wait_set.wait(10s);
  EXPECT_EQ(result.kind(), rclcpp::WaitResultKind::Empty);
  EXPECT_THROW(result.get_wait_set(), std::runtime_error);
  rclcpp::ThreadSafeWaitSet thread_safe;
  EXPECT_EQ(thread_safe.wait(1ms).kind(), rclcpp::WaitResultKind::Timeout);
}

TEST_F(WaitSets, guard_condition_ends_a_wait_once)
{
  auto guard = std::make_shared<rclcpp::GuardCondition>();
  rclcpp::WaitSet wait_set({}, {guard});
  EXPECT_EQ(wait_set.wait(1ms).kind(), rclcpp::WaitResultKind::Timeout);
  guard->trigger();
  const auto result = wait_set.wait(10s);
  ASSERT_EQ(result.kind(), rclcpp::WaitResultKind::Ready);
  EXPECT_NE(result.get_wait_set().get_rcl_wait_set().guard_conditions[0], nullptr);
  EXPECT_EQ(wait_set.wait(1ms).kind(), rclcpp::WaitResultKind::Timeout);
}

TEST_F(WaitSets, other_thread_triggers_a_guard_condition)
{
  auto guard = std::make_shared<rclcpp::GuardCondition>();
  rclcpp::WaitSet wait_set({}, {guard});
  for (int round = 0; round < 200; ++round) {
    std::thread thread([&] {guard->trigger();});
    EXPECT_EQ(wait_set.wait(10s).kind(), rclcpp::WaitResultKind::Ready);
    thread.join();
  }
}

TEST_F(WaitSets, guard_condition_counts_triggers_for_its_callback)
{
  rclcpp::GuardCondition guard;
  guard.trigger();
  guard.trigger();
  size_t count = 0;
  guard.set_on_trigger_callback([&](size_t triggers) {count += triggers;});
  EXPECT_EQ(count, 2u);
  guard.trigger();
  EXPECT_EQ(count, 3u);
  EXPECT_THROW(rclcpp::GuardCondition(nullptr), std::invalid_argument);
}

TEST_F(WaitSets, messages_are_taken)
{
  auto one = subscribe();
  auto two = subscribe();
  rclcpp::WaitSet wait_set({{one}, {two}});
  EXPECT_EQ(wait_set.wait(1ms).kind(), rclcpp::WaitResultKind::Timeout);
  auto publisher = this->publisher();
  for (int number = 0; number < 3; ++number) {
    publisher->publish(text(std::to_string(number)));
  }
  String message;
  rclcpp::MessageInfo info;
  for (int number = 0; number < 3; ++number) {
    auto result = wait_set.wait(10s);
    ASSERT_EQ(result.kind(), rclcpp::WaitResultKind::Ready);
    ASSERT_NE(wait_set.get_rcl_wait_set().subscriptions[0], nullptr);
    EXPECT_EQ(result.next_ready_subscription(), one);
    ASSERT_TRUE(one->take(message, info));
    EXPECT_EQ(message.data, std::to_string(number));
  }
  EXPECT_FALSE(one->take(message, info));
  rclcpp::SerializedMessage bytes;
  EXPECT_TRUE(two->take_serialized(bytes, info));
  EXPECT_TRUE(two->take(message, info));
  EXPECT_EQ(message.data, "1") << "the order stays";
}

TEST_F(WaitSets, queue_has_its_depth_while_nobody_takes)
{
  auto subscription = subscribe(2);
  rclcpp::WaitSet wait_set({{subscription}});
  auto publisher = this->publisher();
  for (int number = 0; number < 6; ++number) {
    publisher->publish(text(std::to_string(number)));
    EXPECT_EQ(wait_set.wait(10s).kind(), rclcpp::WaitResultKind::Ready);
  }
  String message;
  rclcpp::MessageInfo info;
  ASSERT_TRUE(subscription->take(message, info));
  EXPECT_EQ(message.data, "4");
  EXPECT_TRUE(subscription->take(message, info));
  EXPECT_FALSE(subscription->take(message, info));
}

TEST_F(WaitSets, message_is_handled_with_the_callback)
{
  std::string heard;
  rclcpp::SubscriptionOptions options;
  options.callback_group = node_->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive, false);
  auto subscription = node_->create_subscription<String>(
    "~/topic", 10, [&](String::UniquePtr message) {heard = message->data;}, options);
  rclcpp::WaitSet wait_set;
  wait_set.add_subscription(subscription);
  publisher()->publish(text("a"));
  ASSERT_EQ(wait_set.wait(10s).kind(), rclcpp::WaitResultKind::Ready);
  auto message = subscription->create_message();
  rclcpp::MessageInfo info;
  ASSERT_TRUE(subscription->take_type_erased(message.get(), info));
  EXPECT_EQ(heard, "");
  subscription->handle_message(message, info);
  EXPECT_EQ(heard, "a");
}

TEST_F(WaitSets, wait_set_of_a_node_in_an_executor_gets_its_messages)
{
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(node_);
  auto subscription = subscribe();
  rclcpp::WaitSet wait_set({{subscription}});
  std::thread thread([&] {executor.spin();});
  publisher()->publish(text("a"));
  EXPECT_EQ(wait_set.wait(10s).kind(), rclcpp::WaitResultKind::Ready);
  while (!executor.is_spinning()) {
    std::this_thread::yield();
  }
  executor.cancel();
  thread.join();
}

TEST_F(WaitSets, subscription_has_its_callback_again_without_the_wait_set)
{
  std::vector<std::string> heard;
  auto subscription =
    node_->create_subscription<String>("~/topic", 10, [&](const String & message) {heard.push_back(message.data);});
  auto publisher = this->publisher();
  {
    rclcpp::WaitSet wait_set({{subscription}});
    publisher->publish(text("a"));
    EXPECT_EQ(wait_set.wait(10s).kind(), rclcpp::WaitResultKind::Ready);
  }
  publisher->publish(text("b"));
  EXPECT_TRUE(spin_until(node_, [&] {return heard.size() == 2;}));
  EXPECT_EQ(heard[0], "a");
}

TEST_F(WaitSets, timers_are_called_by_the_program)
{
  int calls = 0;
  auto timer = node_->create_wall_timer(20ms, [&] {calls += 1;});
  rclcpp::WaitSet wait_set;
  wait_set.add_timer(timer);
  EXPECT_EQ(wait_set.wait(1ms).kind(), rclcpp::WaitResultKind::Timeout);
  for (int round = 1; round <= 3; ++round) {
    auto result = wait_set.wait(10s);
    ASSERT_EQ(result.kind(), rclcpp::WaitResultKind::Ready);
    EXPECT_EQ(result.peek_next_ready_timer().first, timer);
    auto data = timer->call();
    ASSERT_TRUE(data);
    EXPECT_FALSE(timer->call()) << "the next period has begun";
    timer->execute_callback(data);
    EXPECT_EQ(calls, round);
  }
  timer->cancel();
  EXPECT_EQ(wait_set.wait(50ms).kind(), rclcpp::WaitResultKind::Timeout);
}

TEST_F(WaitSets, requests_and_responses_are_handled)
{
  auto service = node_->create_service<AddTwoInts>(
    "~/add", [](AddTwoInts::Request::SharedPtr request, AddTwoInts::Response::SharedPtr response) {
      response->sum = request->a + request->b;
    });
  auto client = node_->create_client<AddTwoInts>("~/add");
  ASSERT_TRUE(client->wait_for_service(10s));
  rclcpp::WaitSet wait_set({}, {}, {}, {client}, {service});
  auto request = std::make_shared<AddTwoInts::Request>();
  request->a = 1;
  request->b = 2;
  auto future = client->async_send_request(request);
  auto result = wait_set.wait(10s);
  ASSERT_EQ(result.kind(), rclcpp::WaitResultKind::Ready);
  EXPECT_EQ(result.next_ready_service(), service);
  EXPECT_EQ(result.next_ready_client(), nullptr);
  auto taken = service->create_request();
  auto header = service->create_request_header();
  ASSERT_TRUE(service->take_type_erased_request(taken.get(), *header));
  service->handle_request(header, taken);
  ASSERT_EQ(wait_set.wait(10s).kind(), rclcpp::WaitResultKind::Ready);
  auto response = client->create_response();
  header = client->create_request_header();
  ASSERT_TRUE(client->take_type_erased_response(response.get(), *header));
  EXPECT_EQ(header->sequence_number, future.request_id);
  client->handle_response(header, response);
  EXPECT_EQ(future.get()->sum, 3);
  AddTwoInts::Response none;
  EXPECT_FALSE(client->take_response(none, *header));
}

TEST_F(WaitSets, entity_is_in_one_wait_set)
{
  auto subscription = subscribe();
  auto guard = std::make_shared<rclcpp::GuardCondition>();
  rclcpp::WaitSet wait_set({{subscription}}, {guard});
  rclcpp::WaitSet other;
  EXPECT_THROW(other.add_subscription(subscription), std::runtime_error);
  EXPECT_THROW(other.add_guard_condition(guard), std::runtime_error);
  EXPECT_THROW(other.remove_guard_condition(guard), std::runtime_error);
  EXPECT_THROW(other.add_subscription(nullptr), std::invalid_argument);
  wait_set.remove_guard_condition(guard);
  other.add_guard_condition(guard);
  wait_set.remove_subscription(subscription);
  other.add_subscription(subscription);
}

TEST_F(WaitSets, dropped_entity_leaves)
{
  auto subscription = subscribe();
  auto guard = std::make_shared<rclcpp::GuardCondition>();
  rclcpp::WaitSet wait_set({{subscription}}, {guard});
  subscription.reset();
  EXPECT_EQ(wait_set.wait(1ms).kind(), rclcpp::WaitResultKind::Timeout);
  EXPECT_EQ(wait_set.get_rcl_wait_set().size_of_subscriptions, 0u);
  guard.reset();
  wait_set.prune_deleted_entities();
  EXPECT_EQ(wait_set.wait(1ms).kind(), rclcpp::WaitResultKind::Empty);
}

TEST_F(WaitSets, static_wait_set_keeps_its_entities)
{
  auto guard = std::make_shared<rclcpp::GuardCondition>();
  using Set = rclcpp::StaticWaitSet<1, 1, 0, 0, 0, 0>;
  Set wait_set(std::array<Set::SubscriptionEntry, 1>{{{subscribe()}}}, {guard}, {}, {}, {}, {});
  EXPECT_EQ(wait_set.wait(1ms).kind(), rclcpp::WaitResultKind::Timeout);
  publisher()->publish(text("a"));
  EXPECT_EQ(wait_set.wait(10s).kind(), rclcpp::WaitResultKind::Ready);
  EXPECT_EQ(wait_set.get_rcl_wait_set().size_of_subscriptions, 1u);
}

TEST_F(WaitSets, entity_is_added_during_a_wait)
{
  rclcpp::ThreadSafeWaitSet wait_set;
  auto guard = std::make_shared<rclcpp::GuardCondition>();
  guard->trigger();
  std::thread thread([&] {
      std::this_thread::sleep_for(20ms);
      wait_set.add_guard_condition(guard);
    });
  EXPECT_EQ(wait_set.wait(10s).kind(), rclcpp::WaitResultKind::Ready);
  thread.join();
}

TEST_F(WaitSets, result_is_invalid_after_a_change)
{
  auto timer = node_->create_wall_timer(1ms, [] {});
  rclcpp::WaitSet wait_set({}, {}, {timer});
  auto result = wait_set.wait(10s);
  ASSERT_EQ(result.kind(), rclcpp::WaitResultKind::Ready);
  EXPECT_THROW(result.clear_timer_with_index(1), std::out_of_range);
  wait_set.remove_timer(timer);
  EXPECT_EQ(result.peek_next_ready_timer().first, nullptr);
  EXPECT_EQ(result.kind(), rclcpp::WaitResultKind::Invalid);
}

TEST_F(WaitSets, shutdown_ends_a_wait)
{
  auto subscription = subscribe();
  rclcpp::WaitSet wait_set({{subscription}});
  std::thread thread([] {
      std::this_thread::sleep_for(20ms);
      rclcpp::shutdown();
    });
  EXPECT_EQ(wait_set.wait().kind(), rclcpp::WaitResultKind::Timeout);
  thread.join();
}

TEST_F(WaitSets, wait_for_message_returns_it)
{
  auto publisher = this->publisher();
  auto timer = node_->create_wall_timer(5ms, [&] {publisher->publish(text("a"));});
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(node_);
  std::thread thread([&] {executor.spin();});
  String message;
  EXPECT_TRUE(rclcpp::wait_for_message(message, node_, "~/topic", 10s));
  EXPECT_EQ(message.data, "a");
  EXPECT_FALSE(rclcpp::wait_for_message(message, node_, "~/other", 5ms));
  executor.cancel();
  thread.join();
}

TEST_F(WaitSets, waitable_is_in_a_wait_set)
{
  auto counter = std::make_shared<Counter>();
  rclcpp::WaitSet wait_set;
  wait_set.add_waitable(counter);
  EXPECT_THROW(wait_set.add_waitable(counter), std::runtime_error);
  EXPECT_EQ(wait_set.wait(1ms).kind(), rclcpp::WaitResultKind::Timeout);
  counter->guard.trigger();
  auto result = wait_set.wait(10s);
  ASSERT_EQ(result.kind(), rclcpp::WaitResultKind::Ready);
  EXPECT_EQ(result.next_ready_waitable(), counter);
  EXPECT_EQ(result.next_ready_waitable(), nullptr);
  wait_set.remove_waitable(counter);
  EXPECT_EQ(counter->get_number_of_ready_timers(), 0u);
}

TEST_F(WaitSets, executor_runs_a_waitable)
{
  auto counter = std::make_shared<Counter>();
  const auto waitables = node_->get_node_waitables_interface();
  waitables->add_waitable(counter, nullptr);
  for (int count = 1; count <= 3; ++count) {
    counter->guard.trigger();
    EXPECT_TRUE(spin_until(node_, [&] {return counter->count == count;}));
  }
  waitables->remove_waitable(counter, nullptr);
  counter->guard.trigger();
  rclcpp::spin_some(node_);
  EXPECT_EQ(counter->count, 3);
  auto other = new_node();
  const auto group = other->create_callback_group(rclcpp::CallbackGroupType::Reentrant);
  EXPECT_THROW(waitables->add_waitable(counter, group), std::runtime_error);
}

TEST_F(WaitSets, events_wait_for_the_program)
{
  size_t matches = 0;
  rclcpp::PublisherOptions options;
  options.event_callbacks.matched_callback = [&](rclcpp::MatchedInfo & info) {matches += info.total_count_change;};
  const auto publisher = node_->create_publisher<String>("~/topic", 10, options);
  ASSERT_EQ(publisher->get_event_handlers().size(), 1u);
  const auto handler = publisher->get_event_handlers().at(RCL_PUBLISHER_MATCHED);
  rclcpp::WaitSet wait_set;
  wait_set.add_waitable(handler, publisher);
  EXPECT_THROW(rclcpp::WaitSet().add_waitable(handler), std::runtime_error);
  const auto subscription = subscribe();
  ASSERT_EQ(wait_set.wait(10s).kind(), rclcpp::WaitResultKind::Ready);
  EXPECT_EQ(matches, 0u);
  ASSERT_TRUE(handler->is_ready(wait_set.get_rcl_wait_set()));
  handler->execute(handler->take_data());
  EXPECT_EQ(matches, 1u);
  EXPECT_FALSE(handler->is_ready(wait_set.get_rcl_wait_set()));
  EXPECT_THROW(handler->execute(handler->take_data()), std::runtime_error);
  wait_set.remove_waitable(handler);
  const auto second = subscribe();
  EXPECT_TRUE(spin_until(node_, [&] {return matches == 2;})) << "the executor calls the callback again";
}

TEST_F(WaitSets, a_function_learns_of_events)
{
  std::vector<size_t> matches;
  rclcpp::SubscriptionOptions options;
  options.event_callbacks.matched_callback = [&](rclcpp::MatchedInfo & info) {matches.push_back(info.total_count_change);};
  const auto subscription = node_->create_subscription<String>("~/topic", 10, [](const String &) {}, options);
  const auto handler = subscription->get_event_handlers().at(RCL_SUBSCRIPTION_MATCHED);
  size_t events = 0;
  handler->set_on_ready_callback([&](size_t count, int) {events += count;});
  const auto first = publisher();
  EXPECT_TRUE(spin_until(node_, [&] {return events == 1;}));
  const auto second = publisher();
  EXPECT_TRUE(spin_until(node_, [&] {return events == 2;}));
  const auto both = handler->take_data();
  EXPECT_TRUE(matches.empty()) << "the program has not executed the event";
  handler->execute(both);
  EXPECT_EQ(matches, std::vector<size_t>{2});
  EXPECT_EQ(handler->take_data(), nullptr);
  handler->set_on_ready_callback([&](size_t, int) {handler->clear_on_ready_callback();});
}

TEST_F(WaitSets, an_event_that_was_not_taken_is_not_lost)
{
  std::vector<size_t> matches;
  rclcpp::PublisherOptions options;
  options.event_callbacks.matched_callback = [&](rclcpp::MatchedInfo & info) {matches.push_back(info.total_count_change);};
  const auto publisher = node_->create_publisher<String>("~/topic", 10, options);
  const auto handler = publisher->get_event_handlers().at(RCL_PUBLISHER_MATCHED);
  {
    rclcpp::WaitSet wait_set;
    wait_set.add_waitable(handler, publisher);
    const auto first = subscribe();
    ASSERT_EQ(wait_set.wait(10s).kind(), rclcpp::WaitResultKind::Ready);
    EXPECT_EQ(wait_set.wait(10s).kind(), rclcpp::WaitResultKind::Ready) << "the event is still there";
  }
  const auto second = subscribe();
  EXPECT_TRUE(spin_until(node_, [&] {return !matches.empty();}));
  EXPECT_EQ(matches, std::vector<size_t>{2}) << "with the event that nobody has taken";
}

TEST_F(WaitSets, a_subscription_is_added_with_its_events)
{
  rclcpp::SubscriptionOptions options;
  options.event_callbacks.matched_callback = [](rclcpp::MatchedInfo &) {};
  const auto subscription = node_->create_subscription<String>("~/topic", 10, [](const String &) {}, options);
  rclcpp::WaitSet wait_set;
  wait_set.add_subscription(subscription);
  const auto handler = subscription->get_event_handlers().begin()->second;
  EXPECT_THROW(rclcpp::WaitSet().add_waitable(handler), std::runtime_error);
  wait_set.remove_subscription(subscription);
  rclcpp::WaitSet other;
  other.add_subscription(subscription, {true, false, false});
  wait_set.add_waitable(handler);
}

TEST_F(WaitSets, a_wait_set_of_fixed_size_is_full)
{
  using OneTimer = rclcpp::StaticWaitSet<0, 0, 1, 0, 0, 0>;
  EXPECT_THROW(OneTimer(), std::runtime_error);
}

}  // namespace
