// Publishers, subscriptions and clients of types that are given by their names.
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "example_interfaces/srv/add_two_ints.hpp"
#include "fixture.hpp"

namespace
{

using AddTwoInts = example_interfaces::srv::AddTwoInts;

/// A test with a prefix that has the packages of messages which the test is linked with.
class Generic : public WithContext
{
protected:
  Generic()
  {
    Dl_info info{};
    const auto function = &rosidl_typesupport_cpp::get_message_type_support_handle<std_msgs::msg::String>;
    dladdr(reinterpret_cast<const void *>(function), &info);
    const auto index = prefix_ / "share/ament_index/resource_index/packages";
    std::filesystem::remove_all(prefix_);
    std::filesystem::create_directories(index);
    std::filesystem::create_directory_symlink(std::filesystem::canonical(info.dli_fname).parent_path(), prefix_ / "lib");
    for (const char * package : {"std_msgs", "example_interfaces", "no_library_msgs"}) {
      std::ofstream(index / package);
    }
    ::setenv("AMENT_PREFIX_PATH", prefix_.c_str(), 1);
  }
  ~Generic() override {std::filesystem::remove_all(prefix_);}

  std::filesystem::path prefix_ = ::testing::TempDir() + "saltus_generic_" + std::to_string(::getpid());
  rclcpp::Node::SharedPtr node_ = new_node();
};

rclcpp::SerializedMessage bytes_of(const std_msgs::msg::String & message)
{
  rclcpp::SerializedMessage bytes;
  rclcpp::Serialization<std_msgs::msg::String>().serialize_message(&message, &bytes);
  return bytes;
}

std::string text_of(const rclcpp::SerializedMessage & bytes)
{
  std_msgs::msg::String message;
  rclcpp::Serialization<std_msgs::msg::String>().deserialize_message(&bytes, &message);
  return message.data;
}

/// Endpoints that exchange pointers within the process exchange bytes with generic ones.
TEST_F(Generic, endpoints_that_take_pointers_are_reached)
{
  const auto options = rclcpp::NodeOptions().use_intra_process_comms(true);
  const auto node = std::make_shared<rclcpp::Node>("pointers", options);
  std::vector<std::string> heard;
  const auto note = [&](const std::string & data) {heard.push_back(data);};
  const auto subscription = node->create_subscription<std_msgs::msg::String>(
    "topic", 10, [&](const std_msgs::msg::String & message) {note("message " + message.data);});
  const auto generic = node->create_generic_subscription(
    "topic", "std_msgs/msg/String", 10,
    [&](std::shared_ptr<rclcpp::SerializedMessage> message) {note("bytes " + text_of(*message));});
  const auto publisher = node->create_publisher<std_msgs::msg::String>("topic", 10);
  const auto generic_publisher = node->create_generic_publisher("topic", "std_msgs/msg/String", 10);
  ASSERT_TRUE(
    spin_until(
      node, [&] {
        return publisher->get_subscription_count() == 2 && generic_publisher->get_subscription_count() == 2;
      }));
  generic_publisher->publish(bytes_of(text("one")));
  ASSERT_TRUE(spin_until(node, [&] {return heard.size() == 2;}));
  publisher->publish(text("two"));
  ASSERT_TRUE(spin_until(node, [&] {return heard.size() == 4;}));
  std::sort(heard.begin(), heard.end());
  EXPECT_EQ((std::vector<std::string>{"bytes one", "bytes two", "message one", "message two"}), heard);
}

TEST_F(Generic, publisher_and_subscription_exchange_bytes)
{
  std::vector<std::string> heard;
  auto subscription = node_->create_generic_subscription(
    "~/topic", "std_msgs/msg/String", 10,
    [&](std::shared_ptr<rclcpp::SerializedMessage> message) {heard.push_back(text_of(*message));});
  auto with_info = node_->create_generic_subscription(
    "~/topic", "std_msgs/String", 10,
    [&](const rclcpp::SerializedMessage & message, const rclcpp::MessageInfo &) {heard.push_back(text_of(message));});
  EXPECT_TRUE(subscription->is_serialized());
  auto publisher = node_->create_generic_publisher("~/topic", "std_msgs/msg/String", rclcpp::QoS(10));
  publisher->publish(bytes_of(text("a")));
  EXPECT_TRUE(spin_until(node_, [&] {return heard.size() == 2;}));
  publisher->publish_as_loaned_msg(bytes_of(text("b")));
  EXPECT_TRUE(spin_until(node_, [&] {return heard.size() == 4;}));
  EXPECT_EQ(heard.back(), "b");
}

TEST_F(Generic, endpoints_with_and_without_a_type_meet)
{
  std::string heard;
  auto subscription =
    node_->create_subscription<std_msgs::msg::String>("~/a", 10, [&](const std_msgs::msg::String & message) {heard = message.data;});
  auto publisher = node_->create_generic_publisher("~/a", "std_msgs/msg/String", 10);
  publisher->publish(bytes_of(text("a")));
  EXPECT_TRUE(spin_until(node_, [&] {return heard == "a";}));
  auto generic = node_->create_generic_subscription(
    "~/b", "std_msgs/msg/String", 10, [&](rclcpp::SerializedMessage::UniquePtr message) {heard = text_of(*message);});
  node_->create_publisher<std_msgs::msg::String>("~/b", 10)->publish(text("b"));
  EXPECT_TRUE(spin_until(node_, [&] {return heard == "b";}));
}

TEST_F(Generic, subscription_is_in_a_wait_set)
{
  std::string heard;
  auto subscription = node_->create_generic_subscription(
    "~/topic", "std_msgs/msg/String", 10,
    [&](std::shared_ptr<const rclcpp::SerializedMessage> message) {heard = text_of(*message);});
  rclcpp::WaitSet wait_set({{subscription}});
  node_->create_publisher<std_msgs::msg::String>("~/topic", 10)->publish(text("a"));
  ASSERT_EQ(wait_set.wait(10s).kind(), rclcpp::WaitResultKind::Ready);
  auto message = subscription->create_serialized_message();
  rclcpp::MessageInfo info;
  ASSERT_TRUE(subscription->take_serialized(*message, info));
  subscription->handle_serialized_message(message, info);
  EXPECT_EQ(heard, "a");
  auto erased = subscription->create_message();
  EXPECT_THROW(subscription->handle_message(erased, info), rclcpp::exceptions::UnimplementedError);
}

TEST_F(Generic, client_calls_a_service)
{
  auto service = node_->create_service<AddTwoInts>(
    "~/add", [](AddTwoInts::Request::SharedPtr request, AddTwoInts::Response::SharedPtr response) {
      response->sum = request->a + request->b;
    });
  auto client = node_->create_generic_client("~/add", "example_interfaces/srv/AddTwoInts");
  ASSERT_TRUE(client->wait_for_service(10s));
  AddTwoInts::Request request;
  request.a = 1;
  request.b = 2;
  auto future = client->async_send_request(&request);
  ASSERT_EQ(rclcpp::spin_until_future_complete(node_, future, 10s), rclcpp::FutureReturnCode::SUCCESS);
  EXPECT_EQ(std::static_pointer_cast<AddTwoInts::Response>(future.get())->sum, 3);
}

TEST_F(Generic, client_forgets_its_requests)
{
  auto service = node_->create_service<AddTwoInts>(
    "~/add", [](AddTwoInts::Request::SharedPtr, AddTwoInts::Response::SharedPtr) {});
  auto client = node_->create_generic_client("~/add", "example_interfaces/srv/AddTwoInts");
  ASSERT_TRUE(client->wait_for_service(10s));
  AddTwoInts::Request request;
  const auto first = client->async_send_request(&request);
  EXPECT_TRUE(client->remove_pending_request(first.request_id));
  EXPECT_FALSE(client->remove_pending_request(first.request_id));
  const auto second = client->async_send_request(&request);
  std::vector<int64_t> pruned;
  EXPECT_EQ(client->prune_requests_older_than(std::chrono::system_clock::now() + 1h, &pruned), 1u);
  EXPECT_EQ(pruned.at(0), second.request_id);
  EXPECT_EQ(client->prune_pending_requests(), 0u);
}

TEST_F(Generic, unknown_types_are_refused)
{
  const auto open = [&](const char * type) {node_->create_generic_publisher("~/topic", type, 10);};
  EXPECT_THROW(open("String"), std::runtime_error);
  EXPECT_THROW(open("std_msgs/msg/"), std::runtime_error);
  EXPECT_THROW(open("std_msgs/msg/Nothing"), std::runtime_error);
  EXPECT_THROW(open("unknown_msgs/msg/String"), std::runtime_error);
  EXPECT_THROW(open("no_library_msgs/msg/String"), std::runtime_error);
  EXPECT_THROW(node_->create_generic_client("~/add", "std_msgs/srv/Nothing"), std::runtime_error);
}

}  // namespace
