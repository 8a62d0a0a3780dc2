#include <functional>
#include <memory>
#include <memory_resource>
#include <string>
#include <utility>
#include <vector>

#include "fixture.hpp"
#include "rclcpp/allocator/allocator_common.hpp"
#include "rclcpp/strategies/allocator_memory_strategy.hpp"
#include "sensor_msgs/msg/image.hpp"

using std_msgs::msg::String;
using std::placeholders::_1;

namespace
{

class Topics : public WithContext {};

std::vector<std::string> heard;

void hear_reference(const String & message) {heard.push_back("function " + message.data);}

struct Listener
{
  void on_shared(String::SharedPtr message) {heard.push_back("shared " + message->data);}
  void on_const_shared(const String::ConstSharedPtr message) const {heard.push_back("const " + message->data);}
  void on_unique(String::UniquePtr message) {heard.push_back("unique " + message->data);}
};

/// Publishes one message, and returns what a callback noted.
template<typename Callback>
std::string heard_by(const rclcpp::Node::SharedPtr & node, Callback callback)
{
  heard.clear();
  auto subscription = node->create_subscription<String>("chatter", 10, callback);
  auto publisher = node->create_publisher<String>("chatter", 10);
  String message;
  message.data = "hello";
  publisher->publish(message);
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(node);
  const auto end = std::chrono::steady_clock::now() + 10s;
  while (heard.empty() && std::chrono::steady_clock::now() < end) {
    executor.spin_once(100ms);
  }
  return heard.empty() ? "nothing" : heard.front();
}

TEST_F(Topics, each_form_of_callback_gets_the_message)
{
  auto node = new_node();
  Listener listener;
  EXPECT_EQ("function hello", heard_by(node, hear_reference));
  EXPECT_EQ("function hello", heard_by(node, &hear_reference));
  EXPECT_EQ("shared hello", heard_by(node, std::bind(&Listener::on_shared, &listener, _1)));
  EXPECT_EQ("const hello", heard_by(node, std::bind(&Listener::on_const_shared, &listener, _1)));
  EXPECT_EQ("unique hello", heard_by(node, std::bind(&Listener::on_unique, &listener, _1)));
  EXPECT_EQ("lambda hello", heard_by(node, [](const String & message) {heard.push_back("lambda " + message.data);}));
  EXPECT_EQ("lambda hello", heard_by(node, [](String::UniquePtr message) {heard.push_back("lambda " + message->data);}));
  EXPECT_EQ(
    "lambda hello",
    heard_by(node, [](const String::ConstSharedPtr & message) {heard.push_back("lambda " + message->data);}));
  const std::function<void(String::SharedPtr)> function = [](String::SharedPtr message) {
      heard.push_back("std::function " + message->data);
    };
  EXPECT_EQ("std::function hello", heard_by(node, function));
}

TEST_F(Topics, a_callback_learns_about_the_message)
{
  auto node = new_node();
  const auto before = node->now();
  EXPECT_EQ(
    "1 as published", heard_by(
      node, [&](const String &, const rclcpp::MessageInfo & info) {
        const auto & raw = info.get_rmw_message_info();
        EXPECT_LE(before.nanoseconds(), raw.source_timestamp);
        EXPECT_LE(raw.source_timestamp, raw.received_timestamp);
        heard.push_back(std::to_string(raw.publication_sequence_number) + " as published");
      }));
}

TEST_F(Topics, a_serialized_message_can_be_sent_and_read)
{
  auto node = new_node();
  rclcpp::Serialization<String> serialization;
  auto publisher = node->create_publisher<String>("bytes", 10);
  std::string received;
  auto subscription = node->create_subscription<String>(
    "bytes", 10, [&](std::shared_ptr<rclcpp::SerializedMessage> bytes) {
      String message;
      serialization.deserialize_message(bytes.get(), &message);
      received = message.data;
    });
  EXPECT_TRUE(subscription->is_serialized());
  rclcpp::SerializedMessage bytes;
  const String message = text("as bytes");
  serialization.serialize_message(&message, &bytes);
  publisher->publish(bytes);
  EXPECT_TRUE(spin_until(node, [&] {return !received.empty();}));
  EXPECT_EQ("as bytes", received);
}

TEST_F(Topics, bytes_of_another_type_are_not_read)
{
  rclcpp::Serialization<sensor_msgs::msg::Image> images;
  rclcpp::SerializedMessage bytes;
  const String message = text("short");
  rclcpp::Serialization<String>().serialize_message(&message, &bytes);
  sensor_msgs::msg::Image image;
  EXPECT_THROW(images.deserialize_message(&bytes, &image), rclcpp::exceptions::RCLError);
}

TEST_F(Topics, take_returns_each_message_once)
{
  auto node = new_node();
  auto subscription = node->create_subscription<String>("taken", 10, [](const String &) {});
  auto publisher = node->create_publisher<String>("taken", 10);
  publisher->publish(text("one"));
  String message;
  rclcpp::MessageInfo info;
  EXPECT_TRUE(subscription->take(message, info));
  EXPECT_EQ("one", message.data);
  EXPECT_FALSE(subscription->take(message, info));
}

TEST_F(Topics, a_late_subscription_gets_a_transient_local_message)
{
  auto node = new_node();
  auto publisher = node->create_publisher<String>("map", rclcpp::QoS(1).transient_local());
  publisher->publish(text("kept"));
  std::string received;
  auto subscription = node->create_subscription<String>(
    "map", rclcpp::QoS(1).transient_local(), [&](const String & message) {received = message.data;});
  EXPECT_TRUE(spin_until(node, [&] {return received == "kept";}));
}

TEST_F(Topics, both_ends_count_each_other)
{
  auto node = new_node();
  auto publisher = node->create_publisher<String>("counted", 10);
  EXPECT_EQ(0u, publisher->get_subscription_count());
  auto subscription = node->create_subscription<String>("counted", 10, [](const String &) {});
  EXPECT_EQ(1u, publisher->get_subscription_count());
  EXPECT_EQ(1u, subscription->get_publisher_count());
  EXPECT_EQ(1u, node->count_subscribers("counted"));
  EXPECT_STREQ("/counted", publisher->get_topic_name());
  subscription.reset();
  EXPECT_EQ(0u, publisher->get_subscription_count());
}

TEST_F(Topics, incompatible_quality_is_told)
{
  auto node = new_node();
  int offered = 0;
  int requested = 0;
  rclcpp::PublisherOptions publisher_options;
  publisher_options.event_callbacks.incompatible_qos_callback =
    [&](rclcpp::QOSOfferedIncompatibleQoSInfo & event) {offered = event.total_count;};
  rclcpp::SubscriptionOptions options;
  options.event_callbacks.incompatible_qos_callback =
    [&](rclcpp::QOSRequestedIncompatibleQoSInfo & event) {requested = event.total_count;};
  auto publisher = node->create_publisher<String>("quality", rclcpp::QoS(1).best_effort(), publisher_options);
  auto subscription = node->create_subscription<String>("quality", rclcpp::QoS(1), [](const String &) {}, options);
  EXPECT_TRUE(spin_until(node, [&] {return offered == 1 && requested == 1;})) << offered << ' ' << requested;
}

TEST_F(Topics, a_subscription_can_end_in_its_own_callback)
{
  auto node = new_node();
  int calls = 0;
  rclcpp::Subscription<String>::SharedPtr subscription;
  subscription = node->create_subscription<String>(
    "once", 10, [&](const String &) {
      ++calls;
      subscription.reset();
    });
  auto publisher = node->create_publisher<String>("once", 10);
  publisher->publish(text("one"));
  publisher->publish(text("two"));
  EXPECT_TRUE(spin_until(node, [&] {return calls == 1;}));
  EXPECT_FALSE(subscription);
  rclcpp::spin_some(node);
  EXPECT_EQ(1, calls);
}

TEST_F(Topics, publishing_after_the_shutdown_is_ignored)
{
  auto node = new_node();
  auto publisher = node->create_publisher<String>("chatter", 10);
  rclcpp::shutdown();
  EXPECT_NO_THROW(publisher->publish(text("nobody hears it")));
}

TEST_F(Topics, bad_names_are_refused)
{
  auto node = new_node();
  EXPECT_THROW(node->create_publisher<String>("no spaces", 10), rclcpp::exceptions::InvalidTopicNameError);
  EXPECT_THROW(
    node->create_subscription<String>("1st", 10, [](const String &) {}), rclcpp::exceptions::InvalidTopicNameError);
  EXPECT_THROW(rclcpp::Node("no-dashes"), rclcpp::exceptions::InvalidNodeNameError);
  EXPECT_THROW(rclcpp::Node("name", "no spaces"), rclcpp::exceptions::InvalidNamespaceError);
}

TEST_F(Topics, names_are_expanded)
{
  EXPECT_EQ("/ns/chatter", rclcpp::expand_topic_or_service_name("chatter", "node", "/ns"));
  EXPECT_EQ("/ns/node/chatter", rclcpp::expand_topic_or_service_name("~/chatter", "node", "/ns"));
  EXPECT_EQ("/chatter", rclcpp::expand_topic_or_service_name("/chatter", "node", "/ns"));
  try {
    rclcpp::expand_topic_or_service_name("no spaces", "node", "/ns");
    FAIL() << "a space is not allowed";
  } catch (const rclcpp::exceptions::InvalidTopicNameError & error) {
    EXPECT_EQ(2u, error.invalid_index);
  }
  EXPECT_THROW(
    rclcpp::expand_topic_or_service_name("1st", "node", "/ns", true), rclcpp::exceptions::InvalidServiceNameError);
  EXPECT_THROW(rclcpp::expand_topic_or_service_name("name", "a node", "/ns"), rclcpp::exceptions::InvalidNodeNameError);
  EXPECT_THROW(rclcpp::expand_topic_or_service_name("{other}", "node", "/ns"), rclcpp::exceptions::RCLError);
}

TEST_F(Topics, what_is_not_supported_is_refused)
{
  auto node = new_node();
  auto publisher = node->create_publisher<String>("chatter", 10);
  auto subscription = node->create_subscription<String>("chatter", 10, [](const String &) {});
  EXPECT_THROW(publisher->get_network_flow_endpoints(), rclcpp::exceptions::RCLError);
  EXPECT_THROW(subscription->get_network_flow_endpoints(), rclcpp::exceptions::RCLError);
  EXPECT_THROW(subscription->set_content_filter("data = 1"), rclcpp::exceptions::RCLError);
}

TEST_F(Topics, messages_and_executors_with_an_allocator_of_the_program)
{
  using Alloc = std::pmr::polymorphic_allocator<void>;
  using Traits = rclcpp::allocator::AllocRebind<String, Alloc>;
  using Strategy = rclcpp::memory_strategies::allocator_memory_strategy::AllocatorMemoryStrategy<Alloc>;
  auto node = new_node();
  auto alloc = std::make_shared<Alloc>(std::pmr::new_delete_resource());
  rclcpp::PublisherOptionsWithAllocator<Alloc> publisher_options;
  publisher_options.allocator = alloc;
  auto publisher = node->create_publisher<String>("chatter", 10, publisher_options);
  rclcpp::SubscriptionOptionsWithAllocator<Alloc> options;
  options.allocator = alloc;
  std::string received;
  auto subscription = node->create_subscription<String>(
    "chatter", 10, [&](String::ConstSharedPtr message) {received = message->data;}, options,
    std::make_shared<rclcpp::message_memory_strategy::MessageMemoryStrategy<String, Alloc>>(alloc));

  Traits::allocator_type message_alloc = *alloc;
  String * message = Traits::allocate(message_alloc, 1);
  Traits::construct(message_alloc, message);
  message->data = "hello";
  rclcpp::allocator::Deleter<Traits::allocator_type, String> deleter(&message_alloc);
  publisher->publish(std::unique_ptr<String, decltype(deleter)>(message, deleter));

  rclcpp::ExecutorOptions executor_options;
  executor_options.memory_strategy = std::make_shared<Strategy>(alloc);
  rclcpp::executors::SingleThreadedExecutor executor(executor_options);
  executor.add_node(node);
  EXPECT_TRUE(spin_until(executor, [&] {return received == "hello";}));
}

}  // namespace
