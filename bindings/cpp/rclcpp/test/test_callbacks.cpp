// The callbacks of subscriptions and services as objects, and the parameters of QoS.
#include <array>

#include "example_interfaces/srv/add_two_ints.hpp"
#include "fixture.hpp"
#include "rclcpp/detail/local_message.hpp"
#include "rclcpp/detail/qos_parameters.hpp"

namespace
{

using AddTwoInts = example_interfaces::srv::AddTwoInts;
using String = std_msgs::msg::String;

String message_of(const char * text)
{
  String message;
  message.data = text;
  return message;
}

TEST(AnyServiceCallback, calls_what_was_set)
{
  rclcpp::AnyServiceCallback<AddTwoInts> callback;
  const auto id = std::make_shared<rmw_request_id_t>();
  const auto request = std::make_shared<AddTwoInts::Request>();
  EXPECT_THROW(callback.dispatch(nullptr, id, request), std::runtime_error);
  callback.set([](AddTwoInts::Request::SharedPtr, AddTwoInts::Response::SharedPtr response) {response->sum = 7;});
  EXPECT_EQ(callback.dispatch(nullptr, id, request)->sum, 7);
  callback.set([](std::shared_ptr<rmw_request_id_t>, AddTwoInts::Request::SharedPtr) {});
  EXPECT_EQ(callback.dispatch(nullptr, id, request), nullptr) << "it answers later";
}

TEST(AnySubscriptionCallback, dispatches_messages_or_bytes)
{
  rclcpp::AnySubscriptionCallback<String> callback;
  const rclcpp::MessageInfo info;
  const auto message = std::make_shared<String>(message_of("a"));
  EXPECT_THROW(callback.dispatch(message, info), std::runtime_error);
  std::string heard;
  callback.set([&](std::shared_ptr<String> given) {heard = std::exchange(given->data, "changed");});
  callback.dispatch_intra_process(message, info);
  EXPECT_EQ(heard, "a");
  EXPECT_EQ(message->data, "a") << "the callback has its own copy";
  EXPECT_THROW(callback.dispatch_intra_process(std::shared_ptr<String>(), info), std::runtime_error);
  callback.dispatch_intra_process(std::make_unique<String>(message_of("b")), info);
  EXPECT_EQ(heard, "b");
  callback.dispatch(std::make_unique<String>(message_of("c")), info);
  EXPECT_EQ(heard, "c");
  EXPECT_THROW(callback.dispatch(std::make_shared<rclcpp::SerializedMessage>(), info), std::runtime_error);
  rclcpp::AnySubscriptionCallback<String> of_bytes;
  size_t calls = 0;
  of_bytes.set([&](const rclcpp::SerializedMessage &) {calls += 1;});
  of_bytes.dispatch(std::make_shared<rclcpp::SerializedMessage>(), info);
  EXPECT_EQ(calls, 1u);
  EXPECT_THROW(of_bytes.dispatch_intra_process(message, info), std::runtime_error);
}

TEST(LocalMessage, a_large_one_is_not_on_the_stack)
{
  rclcpp::detail::LocalMessage<std::array<uint8_t, 64 << 20>> message;
  (*message).back() = 1;
  EXPECT_LT(sizeof message, 64u);
}

class QosParameters : public WithContext {};

TEST_F(QosParameters, are_those_of_the_endpoint)
{
  using rclcpp::QosPolicyKind;
  using rclcpp::detail::declare_qos_parameters;
  const auto options =
    rclcpp::NodeOptions().append_parameter_override("qos_overrides./t.publisher.reliability", "best_effort");
  const auto node = std::make_shared<rclcpp::Node>("node", options);
  const rclcpp::QosOverridingOptions kinds{QosPolicyKind::Reliability, QosPolicyKind::Lifespan};
  const auto published = declare_qos_parameters(kinds, node, "/t", 10, rclcpp::detail::PublisherQosParametersTraits{});
  EXPECT_EQ(published.reliability(), rclcpp::ReliabilityPolicy::BestEffort);
  EXPECT_TRUE(node->has_parameter("qos_overrides./t.publisher.lifespan"));
  declare_qos_parameters(kinds, node, "/t", 10, rclcpp::detail::SubscriptionQosParametersTraits{});
  EXPECT_TRUE(node->has_parameter("qos_overrides./t.subscription.reliability"));
  EXPECT_FALSE(node->has_parameter("qos_overrides./t.subscription.lifespan"));
  const auto base = node->get_node_base_interface();
  EXPECT_THROW(
    declare_qos_parameters(kinds, base, "/t", 10, rclcpp::detail::PublisherQosParametersTraits{}), std::runtime_error);
}

TEST_F(QosParameters, a_value_that_a_policy_does_not_have_is_refused)
{
  const auto options = rclcpp::NodeOptions().append_parameter_override("qos_overrides./t.publisher.history", "keep_most");
  const auto node = std::make_shared<rclcpp::Node>("node", options);
  rclcpp::PublisherOptions overridden;
  overridden.qos_overriding_options = rclcpp::QosOverridingOptions::with_default_policies();
  try {
    node->create_publisher<String>("/t", 10, overridden);
    FAIL();
  } catch (const rclcpp::exceptions::InvalidQosOverridesException & error) {
    EXPECT_NE(std::string(error.what()).find("'qos_overrides./t.publisher.history'"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("keep_most"), std::string::npos);
  }
}

}  // namespace
