// Nodes, publishers, subscriptions and timers, as most packages write them.
#include "common.hpp"

namespace
{

/// A node that publishes and listens to itself.
class Talker : public rclcpp::Node
{
public:
  explicit Talker(const rclcpp::NodeOptions & options = rclcpp::NodeOptions())
  : Node("talker", options)
  {
    publisher_ = this->create_publisher<Text>("chatter", rclcpp::QoS(rclcpp::KeepLast(10)));
    subscription_ = this->create_subscription<Text>("chatter", 10, std::bind(&Talker::on_text, this, _1));
    timer_ = this->create_wall_timer(10ms, std::bind(&Talker::on_timer, this));
  }

  std::vector<std::string> heard;
  int ticks = 0;

private:
  void on_timer()
  {
    if (++ticks == 3) {
      timer_->cancel();
    }
    auto message = Text();
    message.data = "hello " + std::to_string(ticks);
    RCLCPP_DEBUG(this->get_logger(), "publishes '%s'", message.data.c_str());
    publisher_->publish(message);
  }
  void on_text(const Text::SharedPtr message) {heard.push_back(message->data);}

  rclcpp::Publisher<Text>::SharedPtr publisher_;
  rclcpp::Subscription<Text>::SharedPtr subscription_;
  rclcpp::TimerBase::SharedPtr timer_;
};

class Topics : public WithNode {};

/// A type of a program that topics carry as a text.
struct Word
{
  std::string letters;
};

}  // namespace

template<>
struct rclcpp::TypeAdapter<Word, Text>
{
  using is_specialized = std::true_type;
  using custom_type = Word;
  using ros_message_type = Text;
  static void convert_to_ros_message(const custom_type & source, ros_message_type & destination)
  {
    destination.data = source.letters;
  }
  static void convert_to_custom(const ros_message_type & source, custom_type & destination)
  {
    destination.letters = source.data;
  }
};

TEST(Process, init_and_shutdown_change_what_ok_says)
{
  EXPECT_FALSE(rclcpp::ok());
  rclcpp::init(0, nullptr);
  EXPECT_TRUE(rclcpp::ok());
  EXPECT_TRUE(rclcpp::shutdown());
  EXPECT_FALSE(rclcpp::ok());
}

TEST(Process, ros_arguments_are_removed)
{
  const char * argv[] = {"program", "file", "--ros-args", "-r", "a:=b", "--", "other"};
  EXPECT_EQ(rclcpp::remove_ros_arguments(7, argv), (std::vector<std::string>{"program", "file", "other"}));
}

TEST(Process, the_context_calls_what_was_added_for_its_end)
{
  rclcpp::init(0, nullptr);
  rclcpp::Context::SharedPtr context = rclcpp::contexts::get_global_default_context();
  // The context keeps the callbacks.
  auto order = std::make_shared<std::string>();
  context->add_pre_shutdown_callback([order] {*order += rclcpp::ok() ? "before " : "late ";});
  rclcpp::on_shutdown([order] {*order += rclcpp::ok() ? "early" : "after";});
  rclcpp::shutdown();
  EXPECT_EQ(*order, "before after");
}

TEST_F(Topics, a_node_hears_its_own_texts)
{
  auto talker = std::make_shared<Talker>();
  EXPECT_TRUE(spin_node_until(talker, [&] {return talker->heard.size() >= 3;}));
  EXPECT_EQ(talker->heard, (std::vector<std::string>{"hello 1", "hello 2", "hello 3"}));
  EXPECT_EQ(talker->ticks, 3) << "the timer is cancelled";
}

TEST_F(Topics, spin_some_runs_what_is_ready)
{
  int count = 0;
  auto subscription = node->create_subscription<Text>("words", 10, [&](const Text &) {++count;});
  auto publisher = node->create_publisher<Text>("words", 10);
  EXPECT_EQ(publisher->get_subscription_count(), 1u);
  EXPECT_EQ(subscription->get_publisher_count(), 1u);
  EXPECT_EQ(publisher->get_intra_process_subscription_count(), 0u);
  publisher->publish(text("one"));
  publisher->publish(std::make_unique<Text>(text("two")));
  const auto end = std::chrono::steady_clock::now() + 10s;
  while (rclcpp::ok() && count < 2 && std::chrono::steady_clock::now() < end) {
    rclcpp::spin_some(node);
  }
  EXPECT_EQ(count, 2);
}

TEST_F(Topics, all_forms_of_callbacks_get_the_message)
{
  std::string heard;
  std::vector<rclcpp::SubscriptionBase::SharedPtr> subscriptions{
    node->create_subscription<Text>("words", 10, [&](Text::SharedPtr message) {heard += message->data;}),
    node->create_subscription<Text>("words", 10, [&](Text::ConstSharedPtr message) {heard += message->data;}),
    node->create_subscription<Text>("words", 10, [&](const Text::ConstSharedPtr & message) {heard += message->data;}),
    node->create_subscription<Text>("words", 10, [&](const Text::SharedPtr & message) {heard += message->data;}),
    node->create_subscription<Text>("words", 10, [&](Text::UniquePtr message) {heard += message->data;}),
    node->create_subscription<Text>("words", 10, [&](const Text & message) {heard += message.data;})};
  rclcpp::PublisherBase::SharedPtr publisher = node->create_publisher<Text>("words", 10);
  EXPECT_STREQ(publisher->get_topic_name(), "/words");
  EXPECT_STREQ(subscriptions[0]->get_topic_name(), "/words");
  std::dynamic_pointer_cast<rclcpp::Publisher<Text>>(publisher)->publish(text("x"));
  EXPECT_TRUE(spin_until([&] {return heard.size() == 6;})) << heard;
}

TEST_F(Topics, a_message_comes_with_information)
{
  int64_t stamp = 0;
  auto subscription = node->create_subscription<Text>(
    "words", rclcpp::SensorDataQoS(), [&](const Text &, const rclcpp::MessageInfo & info) {
      stamp = info.get_rmw_message_info().source_timestamp;
    });
  auto publisher = node->create_publisher<Text>("words", rclcpp::SensorDataQoS());
  const auto before = std::chrono::system_clock::now().time_since_epoch();
  publisher->publish(text("x"));
  ASSERT_TRUE(spin_until([&] {return stamp != 0;}));
  EXPECT_GE(std::chrono::nanoseconds(stamp) + 1ms, before);
}

TEST_F(Topics, options_give_a_callback_group)
{
  auto group = node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive, false);
  auto options = rclcpp::SubscriptionOptions();
  options.callback_group = group;
  int count = 0;
  auto subscription = node->create_subscription<Text>("words", 10, [&](const Text &) {++count;}, options);
  auto publisher = node->create_publisher<Text>("words", 10, rclcpp::PublisherOptions());
  publisher->publish(text("x"));
  rclcpp::spin_some(node);
  EXPECT_EQ(count, 0) << "no executor has the group";
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_callback_group(group, node->get_node_base_interface());
  EXPECT_TRUE(spin_until(executor, [&] {return count == 1;}));
}

TEST_F(Topics, functions_create_them_for_a_node)
{
  std::string heard;
  auto publisher = rclcpp::create_publisher<Text>(node, "words", 10);
  auto subscription = rclcpp::create_subscription<Text>(
    *node, "words", 10, [&](const Text & message) {heard = message.data;});
  rclcpp::TimerBase::SharedPtr timer = rclcpp::create_timer(
    node, node->get_clock(), rclcpp::Duration(10ms), [&] {publisher->publish(text("tick"));});
  EXPECT_TRUE(spin_until([&] {return heard == "tick";}));
  EXPECT_LE(timer->time_until_trigger(), 10ms);
  EXPECT_FALSE(timer->is_canceled());
  timer->cancel();
  EXPECT_TRUE(timer->is_canceled());
}

TEST_F(Topics, a_timer_of_the_node_follows_its_clock)
{
  int count = 0;
  auto timer = node->create_timer(5ms, [&] {++count;});
  EXPECT_TRUE(spin_until([&] {return count >= 2;}));
}

TEST_F(Topics, serialized_messages_are_published_and_read)
{
  rclcpp::Serialization<Text> serialization;
  rclcpp::SerializedMessage serialized;
  const Text written = text("bytes");
  serialization.serialize_message(&written, &serialized);
  const rcutils_uint8_array_t & bytes = serialized.get_rcl_serialized_message();
  EXPECT_EQ(bytes.buffer_length, serialized.size());
  // The header of CDR, the length, and the text with a zero.
  EXPECT_EQ(serialized.size(), 4u + 4u + 6u);

  std::shared_ptr<rclcpp::SerializedMessage> received;
  auto subscription = node->create_subscription<Text>(
    "words", 10, [&](std::shared_ptr<rclcpp::SerializedMessage> message) {received = message;});
  node->create_publisher<Text>("unused", 10);
  auto publisher = node->create_publisher<Text>("words", 10);
  publisher->publish(serialized);
  ASSERT_TRUE(spin_until([&] {return received != nullptr;}));
  Text read;
  serialization.deserialize_message(received.get(), &read);
  EXPECT_EQ(read.data, "bytes");
}

TEST_F(Topics, a_type_of_the_program_is_published)
{
  using Adapted = rclcpp::TypeAdapter<Word, Text>;
  std::string heard;
  auto subscription = node->create_subscription<Adapted>("words", 10, [&](const Word & word) {heard += word.letters;});
  auto plain = node->create_subscription<Text>("words", 10, [&](const Text & message) {heard += message.data;});
  auto publisher = node->create_publisher<Adapted>("words", 10);
  publisher->publish(Word{"abc"});
  EXPECT_TRUE(spin_until([&] {return heard == "abcabc";}));
}

TEST_F(Topics, types_are_given_by_name)
{
  std::string heard;
  rclcpp::GenericSubscription::SharedPtr subscription = node->create_generic_subscription(
    "words", "std_msgs/msg/String", rclcpp::QoS(10), [&](std::shared_ptr<rclcpp::SerializedMessage> message) {
      Text read;
      rclcpp::Serialization<Text>().deserialize_message(message.get(), &read);
      heard = read.data;
    });
  rclcpp::GenericPublisher::SharedPtr publisher =
    node->create_generic_publisher("words", "std_msgs/msg/String", rclcpp::QoS(10));
  rclcpp::SerializedMessage serialized;
  const Text written = text("generic");
  rclcpp::Serialization<Text>().serialize_message(&written, &serialized);
  publisher->publish(serialized);
  EXPECT_TRUE(spin_until([&] {return heard == "generic";}));
}

TEST_F(Topics, a_late_subscription_gets_what_is_kept)
{
  auto publisher = node->create_publisher<Text>("map", rclcpp::QoS(1).transient_local().reliable());
  publisher->publish(text("kept"));
  std::string heard;
  auto subscription = node->create_subscription<Text>(
    "map", rclcpp::QoS(1).transient_local(), [&](const Text & message) {heard = message.data;});
  EXPECT_TRUE(spin_until([&] {return heard == "kept";}));
}

TEST_F(Topics, a_publisher_hears_of_subscriptions)
{
  size_t matched = 0;
  rclcpp::PublisherOptions options;
  options.event_callbacks.matched_callback = [&](rclcpp::MatchedInfo & info) {matched = info.current_count;};
  auto publisher = node->create_publisher<Text>("words", 10, options);
  auto subscription = node->create_subscription<Text>("words", 10, [](const Text &) {});
  EXPECT_TRUE(spin_until([&] {return matched == 1;}));
}
