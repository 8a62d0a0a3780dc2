#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fixture.hpp"
#include "sensor_msgs/msg/image.hpp"
#include "type_description_interfaces/msg/individual_type_description.hpp"

using std_msgs::msg::String;

namespace
{

/// A text that stands for a String, as a type adapter makes it.
struct Text
{
  std::string words;
};

}  // namespace

template<>
struct rclcpp::TypeAdapter<Text, String>
{
  using is_specialized = std::true_type;
  using custom_type = Text;
  using ros_message_type = String;

  static void convert_to_ros_message(const Text & source, String & destination) {destination.data = source.words;}
  static void convert_to_custom(const String & source, Text & destination) {destination.words = source.data;}
};

namespace
{

using Adapted = rclcpp::TypeAdapter<Text, String>;

class IntraProcess : public WithContext
{
protected:
  const rclcpp::Node::SharedPtr node_ = new_node(rclcpp::NodeOptions().use_intra_process_comms(true));
  /// Where the messages were that callbacks have got, and what they said.
  std::vector<const void *> places_;
  std::vector<std::string> words_;

  void note(const String & message)
  {
    places_.push_back(&message);
    words_.push_back(message.data);
  }
  auto by_reference() {return [this](const String & message) {note(message);};}
  auto shared() {return [this](String::ConstSharedPtr message) {note(*message);};}
  auto owned() {return [this](String::UniquePtr message) {note(*message);};}
  auto owned_and_shared() {return [this](String::SharedPtr message) {note(*message);};}

  /// Publishes a message as its owner, and returns where it was.
  template<typename Publisher>
  static const void * publish(Publisher & publisher, const std::string & data)
  {
    auto message = std::make_unique<String>(text(data));
    const void * place = message.get();
    publisher.publish(std::move(message));
    return place;
  }

  void spin_until_noted(size_t count)
  {
    EXPECT_TRUE(spin_until(node_, [&] {return words_.size() >= count;}));
    rclcpp::spin_some(node_);
    EXPECT_EQ(count, words_.size());
  }
};

TEST_F(IntraProcess, a_callback_of_each_form_gets_the_message_without_a_copy)
{
  const auto publisher = node_->create_publisher<String>("chatter", 10);
  const auto gets_it = [&](auto callback) {
      const auto subscription = node_->create_subscription<String>("chatter", 10, std::move(callback));
      places_.clear();
      words_.clear();
      const void * place = publish(*publisher, "hello");
      spin_until_noted(1);
      EXPECT_EQ("hello", words_.at(0));
      return places_.at(0) == place;
    };
  EXPECT_TRUE(gets_it(by_reference()));
  EXPECT_TRUE(gets_it(shared()));
  EXPECT_TRUE(gets_it(owned()));
  EXPECT_TRUE(gets_it(owned_and_shared()));
}

TEST_F(IntraProcess, subscriptions_that_share_get_one_message_and_those_that_own_get_their_own)
{
  const auto publisher = node_->create_publisher<String>("chatter", 10);
  const auto one = node_->create_subscription<String>("chatter", 10, shared());
  const auto two = node_->create_subscription<String>("chatter", 10, by_reference());
  const void * place = publish(*publisher, "shared");
  spin_until_noted(2);
  EXPECT_EQ((std::vector<const void *>{place, place}), places_);

  std::vector<String::UniquePtr> kept;
  const auto keep = [&](String::UniquePtr message) {kept.push_back(std::move(message));};
  const auto three = node_->create_subscription<String>("chatter", 10, keep);
  const auto four = node_->create_subscription<String>("chatter", 10, keep);
  places_.clear();
  words_.clear();
  place = publish(*publisher, "owned");
  EXPECT_TRUE(spin_until(node_, [&] {return kept.size() == 2 && words_.size() == 2;}));
  EXPECT_NE(kept.at(0), kept.at(1));
  EXPECT_TRUE(kept.at(0).get() == place || kept.at(1).get() == place);
  EXPECT_EQ(places_.at(0), places_.at(1));
  EXPECT_NE(place, places_.at(0));
  EXPECT_EQ("owned", kept.at(0)->data);
  EXPECT_EQ("owned", kept.at(1)->data);
}

TEST_F(IntraProcess, a_message_that_the_publisher_keeps_is_copied_once)
{
  const auto publisher = node_->create_publisher<String>("chatter", 10);
  const auto one = node_->create_subscription<String>("chatter", 10, shared());
  const auto two = node_->create_subscription<String>("chatter", 10, shared());
  const String message = text("kept");
  publisher->publish(message);
  spin_until_noted(2);
  EXPECT_EQ(places_.at(0), places_.at(1));
  EXPECT_NE(&message, places_.at(0));
}

TEST_F(IntraProcess, all_endpoints_are_counted)
{
  const auto publisher = node_->create_publisher<String>("chatter", 10);
  EXPECT_EQ(0u, publisher->lowest_available_ipm_capacity());
  const auto own = node_->create_subscription<String>("chatter", 3, shared());
  rclcpp::SubscriptionOptions disabled;
  disabled.use_intra_process_comm = rclcpp::IntraProcessSetting::Disable;
  const auto other = node_->create_subscription<String>("chatter", 10, shared(), disabled);
  EXPECT_TRUE(spin_until(node_, [&] {return publisher->get_subscription_count() == 2;}));
  EXPECT_EQ(1u, publisher->get_intra_process_subscription_count());
  EXPECT_EQ(1u, own->get_publisher_count());
  EXPECT_EQ(1u, other->get_publisher_count());
  EXPECT_EQ(3u, publisher->lowest_available_ipm_capacity());
  publish(*publisher, "both");
  EXPECT_EQ(2u, publisher->lowest_available_ipm_capacity());
  spin_until_noted(2);
  EXPECT_EQ((std::vector<std::string>{"both", "both"}), words_);
}

TEST_F(IntraProcess, another_context_gets_the_message_through_shared_memory)
{
  auto context = std::make_shared<rclcpp::Context>();
  context->init(0, nullptr);
  rclcpp::NodeOptions options;
  const auto far = std::make_shared<rclcpp::Node>("far", options.context(context).use_intra_process_comms(true));
  std::vector<std::string> heard;
  const auto subscription = far->create_subscription<String>(
    "chatter", 10, [&](String::ConstSharedPtr message) {heard.push_back(message->data);});
  const auto publisher = node_->create_publisher<String>("chatter", 10);
  const auto own = node_->create_subscription<String>("chatter", 10, owned());
  EXPECT_TRUE(spin_until(node_, [&] {return publisher->get_subscription_count() == 2;}));
  const void * place = publish(*publisher, "to all");
  spin_until_noted(1);
  EXPECT_EQ(place, places_.at(0));
  rclcpp::ExecutorOptions executor_options;
  executor_options.context = context;
  rclcpp::executors::SingleThreadedExecutor executor(executor_options);
  executor.add_node(far);
  EXPECT_TRUE(spin_until(executor, [&] {return !heard.empty();}));
  EXPECT_EQ((std::vector<std::string>{"to all"}), heard);
  context->shutdown("the test has ended");
}

TEST_F(IntraProcess, the_oldest_messages_of_a_full_queue_are_dropped_and_counted)
{
  const auto publisher = node_->create_publisher<String>("chatter", 10);
  size_t lost = 0;
  rclcpp::SubscriptionOptions options;
  options.event_callbacks.message_lost_callback = [&](rclcpp::QOSMessageLostInfo & info) {lost = info.total_count;};
  const auto subscription = node_->create_subscription<String>("chatter", 2, shared(), options);
  for (const char * word : {"one", "two", "three", "four", "five"}) {
    publish(*publisher, word);
  }
  spin_until_noted(2);
  EXPECT_EQ((std::vector<std::string>{"four", "five"}), words_);
  EXPECT_TRUE(spin_until(node_, [&] {return lost == 3;}));
}

TEST_F(IntraProcess, the_information_says_where_a_message_comes_from)
{
  const auto publisher = node_->create_publisher<String>("chatter", 10);
  std::vector<rclcpp::MessageInfo> infos;
  const auto subscription = node_->create_subscription<String>(
    "chatter", 10, [&](String::UniquePtr, const rclcpp::MessageInfo & info) {infos.push_back(info);});
  publish(*publisher, "hello");
  EXPECT_TRUE(spin_until(node_, [&] {return !infos.empty();}));
  const rmw_message_info_t & info = infos.at(0).get_rmw_message_info();
  EXPECT_TRUE(info.from_intra_process);
  EXPECT_TRUE(*publisher == info.publisher_gid);
  EXPECT_GT(info.source_timestamp, 0);
}

TEST_F(IntraProcess, what_only_the_middleware_does_takes_the_usual_way)
{
  const auto latched = rclcpp::QoS(1).transient_local();
  const auto publisher = node_->create_publisher<String>("latched", latched);
  publish(*publisher, "latched");
  const auto subscription = node_->create_subscription<String>("latched", latched, shared());
  spin_until_noted(1);
  EXPECT_EQ(0u, publisher->get_intra_process_subscription_count());

  words_.clear();
  const auto all = node_->create_publisher<String>("all", rclcpp::QoS(rclcpp::KeepAll()));
  const auto of_all = node_->create_subscription<String>("all", rclcpp::QoS(rclcpp::KeepAll()), shared());
  publish(*all, "all");
  spin_until_noted(1);
  EXPECT_EQ(0u, all->get_intra_process_subscription_count());
  EXPECT_EQ(1u, all->get_subscription_count());
}

TEST_F(IntraProcess, endpoints_that_do_not_fit_exchange_nothing)
{
  const auto publisher = node_->create_publisher<String>("chatter", rclcpp::QoS(10).best_effort());
  const auto reliable = node_->create_subscription<String>("chatter", 10, shared());
  EXPECT_EQ(0u, publisher->get_subscription_count());
  EXPECT_EQ(0u, reliable->get_publisher_count());
  const auto fitting = node_->create_subscription<String>("chatter", rclcpp::QoS(10).best_effort(), shared());
  publish(*publisher, "hello");
  spin_until_noted(1);
}

TEST_F(IntraProcess, the_bytes_of_a_message_arrive_too)
{
  const auto publisher = node_->create_publisher<String>("chatter", 10);
  const auto subscription = node_->create_subscription<String>("chatter", 10, shared());
  std::vector<std::string> bytes;
  const auto of_bytes = node_->create_subscription<String>(
    "chatter", 10, [&](std::shared_ptr<rclcpp::SerializedMessage> message) {
      String read;
      rclcpp::Serialization<String>().deserialize_message(message.get(), &read);
      bytes.push_back(read.data);
    });
  EXPECT_TRUE(spin_until(node_, [&] {return publisher->get_subscription_count() == 2;}));
  rclcpp::SerializedMessage serialized;
  const String message = text("bytes");
  rclcpp::Serialization<String>().serialize_message(&message, &serialized);
  publisher->publish(serialized);
  publish(*publisher, "message");
  EXPECT_TRUE(spin_until(node_, [&] {return words_.size() == 2 && bytes.size() == 2;}));
  EXPECT_EQ((std::vector<std::string>{"bytes", "message"}), words_);
  EXPECT_EQ(words_, bytes);
  EXPECT_THROW(publisher->publish(rclcpp::SerializedMessage()), rclcpp::exceptions::RCLError);
}

TEST_F(IntraProcess, a_loaned_message_is_passed_on)
{
  const auto publisher = node_->create_publisher<String>("chatter", 10);
  const auto subscription = node_->create_subscription<String>("chatter", 10, owned());
  auto loan = publisher->borrow_loaned_message();
  loan.get().data = "loaned";
  const void * place = &loan.get();
  publisher->publish(std::move(loan));
  spin_until_noted(1);
  EXPECT_EQ(place, places_.at(0));
}

TEST_F(IntraProcess, a_wait_set_takes_the_messages)
{
  const auto publisher = node_->create_publisher<String>("chatter", 10);
  const auto subscription = node_->create_subscription<String>("chatter", 10, shared());
  rclcpp::WaitSet wait_set;
  wait_set.add_subscription(subscription);
  EXPECT_EQ(rclcpp::WaitResultKind::Timeout, wait_set.wait(10ms).kind());
  std::thread other([&] {publish(*publisher, "waited for");});
  EXPECT_EQ(rclcpp::WaitResultKind::Ready, wait_set.wait(10s).kind());
  other.join();
  String message;
  rclcpp::MessageInfo info;
  EXPECT_TRUE(subscription->take(message, info));
  EXPECT_EQ("waited for", message.data);
  EXPECT_TRUE(info.get_rmw_message_info().from_intra_process);
  EXPECT_FALSE(subscription->take(message, info));
  publish(*publisher, "as bytes");
  rclcpp::SerializedMessage bytes;
  EXPECT_TRUE(subscription->take_serialized(bytes, info));
  rclcpp::Serialization<String>().deserialize_message(&bytes, &message);
  EXPECT_EQ("as bytes", message.data);
  EXPECT_TRUE(words_.empty());
}

TEST_F(IntraProcess, a_type_that_stands_for_a_message_is_passed_as_it_is_or_converted)
{
  const auto publisher = node_->create_publisher<Adapted>("chatter", 10);
  const auto plain = node_->create_publisher<String>("chatter", 10);
  std::vector<std::unique_ptr<Text>> texts;
  const auto adapted = node_->create_subscription<Adapted>(
    "chatter", 10, [&](std::unique_ptr<Text> message) {texts.push_back(std::move(message));});
  const auto of_messages = node_->create_subscription<String>("chatter", 10, shared());
  const auto of_messages_by_adapter = node_->create_subscription<Adapted>("chatter", 10, by_reference());
  auto message = std::make_unique<Text>(Text{"custom"});
  const void * place = message.get();
  publisher->publish(std::move(message));
  EXPECT_TRUE(spin_until(node_, [&] {return texts.size() == 1 && words_.size() == 2;}));
  EXPECT_EQ(place, texts.at(0).get());
  EXPECT_EQ(places_.at(0), places_.at(1));
  publisher->publish(Text{"copied"});
  publish(*plain, "plain");
  EXPECT_TRUE(spin_until(node_, [&] {return texts.size() == 3 && words_.size() == 6;}));
  EXPECT_EQ("copied", texts.at(1)->words);
  EXPECT_EQ("plain", texts.at(2)->words);
  publisher->publish(Text{"taken"});
  Text taken;
  String taken_message;
  rclcpp::MessageInfo info;
  EXPECT_TRUE(adapted->take(taken, info));
  EXPECT_EQ("taken", taken.words);
  EXPECT_TRUE(of_messages->take(taken_message, info));
  EXPECT_EQ("taken", taken_message.data);
}

TEST_F(IntraProcess, endpoints_may_end_while_messages_are_published)
{
  const auto publisher = node_->create_publisher<String>("chatter", 10);
  std::atomic_bool is_done{false};
  std::thread publishing([&] {
      while (!is_done) {
        publish(*publisher, "hello");
      }
    });
  std::atomic_size_t count{0};
  rclcpp::executors::MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 2);
  executor.add_node(node_);
  std::thread spinning([&] {executor.spin();});
  for (int i = 0; i < 200; ++i) {
    const size_t before = count;
    auto subscription = node_->create_subscription<String>("chatter", 1, [&](String::UniquePtr) {count++;});
    while (count == before) {
      std::this_thread::yield();
    }
  }
  is_done = true;
  publishing.join();
  executor.cancel();
  spinning.join();
  EXPECT_EQ(0u, publisher->get_subscription_count());
}

TEST_F(IntraProcess, topics_with_one_name_and_different_types_exchange_nothing)
{
  const auto publisher = node_->create_publisher<String>("chatter", 10);
  size_t images = 0;
  const auto subscription = node_->create_subscription<sensor_msgs::msg::Image>(
    "chatter", 10, [&](sensor_msgs::msg::Image::UniquePtr) {++images;});
  EXPECT_EQ(0u, publisher->get_subscription_count());
  publish(*publisher, "no image");
  rclcpp::spin_some(node_);
  EXPECT_EQ(0u, images);
}

TEST_F(IntraProcess, a_profile_that_was_read_from_an_endpoint_fits)
{
  const auto publisher = node_->create_publisher<String>("chatter", 10);
  const auto subscription = node_->create_subscription<String>("chatter", publisher->get_actual_qos(), owned());
  const auto back = node_->create_publisher<String>("chatter", subscription->get_actual_qos());
  rclcpp::QoS system(10);
  system.reliability(rclcpp::ReliabilityPolicy::SystemDefault);
  const auto by_system = node_->create_subscription<String>("chatter", system, owned());
  EXPECT_EQ(2u, publisher->get_intra_process_subscription_count());
  EXPECT_EQ(2u, subscription->get_publisher_count());
  publish(*publisher, "there");
  publish(*back, "back");
  spin_until_noted(4);
}

TEST_F(IntraProcess, callbacks_of_a_reentrant_group_overlap)
{
  rclcpp::SubscriptionOptions options;
  options.callback_group = node_->create_callback_group(rclcpp::CallbackGroupType::Reentrant);
  std::atomic_int running{0};
  std::atomic_bool is_done{false};
  const auto publisher = node_->create_publisher<String>("chatter", 10);
  rclcpp::executors::MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 2);
  // Each callback waits for the other one.
  const auto subscription = node_->create_subscription<String>(
    "chatter", 10, [&](String::UniquePtr) {
      running += 1;
      const auto end = std::chrono::steady_clock::now() + 10s;
      while (running < 2 && std::chrono::steady_clock::now() < end) {
        std::this_thread::yield();
      }
      if (running == 2) {
        is_done = true;
      }
      executor.cancel();
    }, options);
  executor.add_node(node_);
  publish(*publisher, "one");
  publish(*publisher, "two");
  executor.spin();
  EXPECT_TRUE(is_done);
}

TEST_F(IntraProcess, a_message_that_can_not_be_sent_elsewhere_is_still_given)
{
  using Description = type_description_interfaces::msg::IndividualTypeDescription;
  rclcpp::SubscriptionOptions disabled;
  disabled.use_intra_process_comm = rclcpp::IntraProcessSetting::Disable;
  size_t given = 0;
  const auto publisher = node_->create_publisher<Description>("types", 10);
  const auto own = node_->create_subscription<Description>("types", 10, [&](const Description &) {++given;});
  const auto by_bytes = node_->create_subscription<Description>("types", 10, [](const Description &) {}, disabled);
  EXPECT_TRUE(spin_until(node_, [&] {return publisher->get_subscription_count() == 2;}));
  auto message = std::make_unique<Description>();
  message->type_name.assign(300, 'x');
  EXPECT_THROW(publisher->publish(*message), rclcpp::exceptions::RCLError);
  EXPECT_THROW(publisher->publish(std::move(message)), rclcpp::exceptions::RCLError);
  EXPECT_TRUE(spin_until(node_, [&] {return given == 2;}));
}

TEST_F(IntraProcess, a_callback_for_liveliness_is_told_of_publishers_of_the_process)
{
  int alive = 0;
  rclcpp::SubscriptionOptions options;
  options.event_callbacks.liveliness_callback = [&](rclcpp::QOSLivelinessChangedInfo & info) {alive = info.alive_count;};
  const auto subscription = node_->create_subscription<String>("chatter", 10, shared(), options);
  const auto publisher = node_->create_publisher<String>("chatter", 10);
  EXPECT_TRUE(spin_until(node_, [&] {return alive == 1;}));
}

TEST(IntraProcessAgain, endpoints_before_a_shutdown_are_not_known_after_the_next_init)
{
  const auto options = rclcpp::NodeOptions().use_intra_process_comms(true);
  rclcpp::init(0, nullptr);
  const auto before = std::make_shared<rclcpp::Node>("before", options);
  const auto subscription = before->create_subscription<String>("chatter", 10, [](const String &) {});
  rclcpp::shutdown();
  rclcpp::init(0, nullptr);
  const auto after = std::make_shared<rclcpp::Node>("after", options);
  EXPECT_EQ(0u, after->create_publisher<String>("chatter", 10)->get_intra_process_subscription_count());
  rclcpp::shutdown();
}

}  // namespace
