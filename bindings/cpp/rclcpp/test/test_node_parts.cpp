// The interfaces of nodes, and small functions.
#include <csignal>
#include <thread>

#include "example_interfaces/srv/add_two_ints.hpp"
#include "fixture.hpp"
#include "rclcpp/detail/template_unique.hpp"
#include "rclcpp/node_interfaces/node_base_interface_traits.hpp"
#include "rclcpp/node_interfaces/node_timers_interface_traits.hpp"
#include "rclcpp/node_interfaces/node_topics_interface_traits.hpp"

namespace
{

using AddTwoInts = example_interfaces::srv::AddTwoInts;
using String = std_msgs::msg::String;

class NodeParts : public WithContext {};

TEST_F(NodeParts, entities_are_made_from_interfaces)
{
  auto node = new_node();
  rclcpp::node_interfaces::NodeInterfaces<
    rclcpp::node_interfaces::NodeBaseInterface, rclcpp::node_interfaces::NodeTopicsInterface,
    rclcpp::node_interfaces::NodeParametersInterface> interfaces(*node);
  std::string heard;
  auto subscription = rclcpp::create_subscription<String>(
    interfaces, "topic", 10, [&](const String & message) {heard = message.data;});
  auto publisher = rclcpp::create_publisher<String>(interfaces, "topic", 10);
  publisher->publish(text("a"));
  EXPECT_TRUE(spin_until(node, [&] {return heard == "a";}));
}

TEST_F(NodeParts, interfaces_open_entities)
{
  auto node = new_node();
  const auto topics = node->get_node_topics_interface();
  auto publisher = std::make_shared<rclcpp::Publisher<String>>(
    topics->get_node_base_interface(), "topic", rclcpp::QoS(10), rclcpp::PublisherOptions());
  topics->add_publisher(publisher, nullptr);
  topics->add_publisher(publisher, nullptr);
  EXPECT_STREQ(publisher->get_topic_name(), "/topic");
  int calls = 0;
  auto timer = std::make_shared<rclcpp::GenericTimer<std::function<void()>>>(
    node->get_clock(), 1ms, std::function<void()>([&] {calls += 1;}));
  node->get_node_timers_interface()->add_timer(timer, nullptr);
  EXPECT_TRUE(spin_until(node, [&] {return calls > 1;}));
  int late_calls = 0;
  auto late_timer = rclcpp::GenericTimer<rclcpp::VoidCallbackType>::make_shared(
    node->get_clock(), 1ms, [&] {late_calls += 1;}, node->get_node_base_interface()->get_context(), false);
  EXPECT_TRUE(late_timer->is_canceled());
  late_timer->reset();
  EXPECT_FALSE(late_timer->is_canceled());
  late_timer->cancel();
  node->get_node_timers_interface()->add_timer(late_timer, nullptr);
  EXPECT_TRUE(late_timer->is_canceled());
  late_timer->reset();
  EXPECT_TRUE(spin_until(node, [&] {return late_calls > 1;}));
  const auto group = new_node()->create_callback_group(rclcpp::CallbackGroupType::Reentrant);
  EXPECT_THROW(topics->add_publisher(publisher, group), rclcpp::exceptions::MissingGroupNodeException);
}

TEST_F(NodeParts, handles_of_rcl_are_there)
{
  auto node = new_node();
  const auto base = node->get_node_base_interface();
  EXPECT_NE(base->get_rcl_node_handle(), nullptr);
  EXPECT_EQ(base->get_shared_rcl_node_handle().get(), base->get_rcl_node_handle());
  auto subscription = node->create_subscription<String>("topic", 10, [](const String &) {});
  EXPECT_NE(subscription->get_subscription_handle(), nullptr);
  EXPECT_NE(node->create_publisher<String>("topic", 10)->get_publisher_handle(), nullptr);
}

TEST_F(NodeParts, introspection_of_services_is_refused)
{
  auto node = new_node();
  auto service = node->create_service<AddTwoInts>(
    "add", [](AddTwoInts::Request::SharedPtr, AddTwoInts::Response::SharedPtr) {});
  auto client = node->create_client<AddTwoInts>("add");
  service->configure_introspection(node->get_clock(), 10, RCL_SERVICE_INTROSPECTION_OFF);
  EXPECT_THROW(
    service->configure_introspection(node->get_clock(), 10, RCL_SERVICE_INTROSPECTION_METADATA),
    rclcpp::exceptions::UnimplementedError);
  EXPECT_THROW(
    client->configure_introspection(node->get_clock(), 10, RCL_SERVICE_INTROSPECTION_CONTENTS),
    rclcpp::exceptions::UnimplementedError);
}

TEST_F(NodeParts, a_clock_of_another_type_does_not_follow_simulated_time)
{
  const auto node = std::make_shared<rclcpp::Node>("steady", rclcpp::NodeOptions().clock_type(RCL_STEADY_TIME));
  EXPECT_EQ(node->now().get_clock_type(), RCL_STEADY_TIME);
  size_t calls = 0;
  const auto timer = rclcpp::create_timer(node, node->get_clock(), std::chrono::milliseconds(1), [&] {calls += 1;});
  while (calls == 0) {
    rclcpp::spin_some(node);
  }
  const auto refused = node->set_parameter(rclcpp::Parameter("use_sim_time", true));
  EXPECT_FALSE(refused.successful);
  EXPECT_NE(refused.reason.find("RCL_ROS_TIME"), std::string::npos);
  const auto options = rclcpp::NodeOptions().clock_type(RCL_STEADY_TIME).append_parameter_override("use_sim_time", true);
  EXPECT_THROW(std::make_shared<rclcpp::Node>("simulated", options), std::invalid_argument);
}

TEST_F(NodeParts, use_sim_time_must_be_a_flag)
{
  const auto options = rclcpp::NodeOptions().append_parameter_override("use_sim_time", "yes");
  EXPECT_THROW(std::make_shared<rclcpp::Node>("text", options), std::invalid_argument);
}

TEST_F(NodeParts, options_in_the_form_of_c)
{
  const auto options = rclcpp::NodeOptions().rosout_qos(rclcpp::QoS(3)).enable_rosout(false);
  EXPECT_EQ(options.get_rcl_node_options()->rosout_qos.depth, 3u);
  EXPECT_FALSE(options.get_rcl_node_options()->enable_rosout);
}

TEST_F(NodeParts, a_group_without_node_takes_no_entity)
{
  auto context = std::make_shared<rclcpp::Context>();
  context->init(0, nullptr);
  const auto group =
    std::make_shared<rclcpp::CallbackGroup>(rclcpp::CallbackGroupType::Reentrant, context->weak_from_this());
  EXPECT_NE(group->get_notify_guard_condition(), nullptr);
  group->trigger_notify_guard_condition();
  rclcpp::SubscriptionOptions options;
  options.callback_group = group;
  const auto node = std::make_shared<rclcpp::Node>("other");
  EXPECT_THROW(
    node->create_subscription<String>("t", 1, [](String::SharedPtr) {}, options), std::runtime_error);
  rclcpp::PublisherOptions publisher_options;
  publisher_options.callback_group = group;
  EXPECT_THROW(node->create_publisher<String>("t", 1, publisher_options), std::runtime_error);
  EXPECT_THROW(node->create_wall_timer(1s, [] {}, group), std::runtime_error);
  rclcpp::executors::SingleThreadedExecutor executor;
  for (int attempt = 0; attempt < 2; ++attempt) {
    try {
      executor.add_callback_group(group, node->get_node_base_interface());
      FAIL();
    } catch (const std::runtime_error & error) {
      EXPECT_STREQ(error.what(), "Callback group belongs to no node.");
    }
  }
  context->shutdown("end");
  EXPECT_EQ(group->get_notify_guard_condition(), nullptr);
}

TEST_F(NodeParts, interfaces_may_be_empty)
{
  using rclcpp::node_interfaces::NodeBaseInterface;
  const rclcpp::node_interfaces::NodeInterfaces<NodeBaseInterface> interfaces;
  EXPECT_EQ(interfaces.get<NodeBaseInterface>(), nullptr);
}

TEST_F(NodeParts, parameters_are_copied)
{
  auto from = std::make_shared<rclcpp::Node>("from");
  auto to = std::make_shared<rclcpp::Node>("to");
  from->declare_parameter("only", 1);
  from->declare_parameter("both", 2);
  to->declare_parameter("both", 3);
  rclcpp::copy_all_parameter_values(from, to);
  EXPECT_EQ(to->get_parameter("only").as_int(), 1);
  EXPECT_EQ(to->get_parameter("both").as_int(), 3);
  rclcpp::copy_all_parameter_values(from, to, true);
  EXPECT_EQ(to->get_parameter("both").as_int(), 2);
}

TEST_F(NodeParts, timer_tells_of_a_reset)
{
  auto node = new_node();
  auto timer = node->create_wall_timer(1s, [] {});
  timer->reset();
  timer->reset();
  size_t resets = 0;
  timer->set_on_reset_callback([&](size_t count) {resets += count;});
  EXPECT_EQ(resets, 2u);
  timer->reset();
  EXPECT_EQ(resets, 3u);
  timer->clear_on_reset_callback();
  timer->reset();
  EXPECT_EQ(resets, 3u);
  EXPECT_THROW(timer->set_on_reset_callback(nullptr), std::invalid_argument);
}

TEST(Qos, is_compatible_or_not)
{
  const auto reliable = rclcpp::QoS(10).liveliness(rclcpp::LivelinessPolicy::Automatic);
  const auto best_effort = rclcpp::QoS(reliable).best_effort();
  const auto fits = rclcpp::qos_check_compatible(reliable, best_effort);
  EXPECT_EQ(fits.compatibility, rclcpp::QoSCompatibility::Ok);
  EXPECT_EQ(fits.reason, "");
  const auto fails = rclcpp::qos_check_compatible(best_effort, reliable);
  EXPECT_EQ(fails.compatibility, rclcpp::QoSCompatibility::Error);
  EXPECT_NE(fails.reason, "");
  const auto may_fail = rclcpp::qos_check_compatible(rclcpp::SystemDefaultsQoS(), reliable);
  EXPECT_EQ(may_fail.compatibility, rclcpp::QoSCompatibility::Warning);
}

TEST(Signals, are_handled_when_they_are_asked_for)
{
  rclcpp::init(0, nullptr, rclcpp::InitOptions(), rclcpp::SignalHandlerOptions::None);
  EXPECT_FALSE(rclcpp::signal_handlers_installed());
  EXPECT_TRUE(rclcpp::install_signal_handlers(rclcpp::SignalHandlerOptions::SigTerm));
  EXPECT_FALSE(rclcpp::install_signal_handlers());
  EXPECT_EQ(rclcpp::get_current_signal_handler_options(), rclcpp::SignalHandlerOptions::SigTerm);
  std::raise(SIGTERM);
  EXPECT_FALSE(rclcpp::sleep_for(10s));
  EXPECT_FALSE(rclcpp::ok());
}

TEST(Signals, are_left_alone_afterwards)
{
  rclcpp::init(0, nullptr, rclcpp::InitOptions(), rclcpp::SignalHandlerOptions::None);
  EXPECT_FALSE(rclcpp::uninstall_signal_handlers());
  EXPECT_TRUE(rclcpp::install_signal_handlers(rclcpp::SignalHandlerOptions::SigInt));
  EXPECT_TRUE(rclcpp::uninstall_signal_handlers());
  EXPECT_FALSE(rclcpp::signal_handlers_installed());
  rclcpp::shutdown();
  struct sigaction now {};
  sigaction(SIGINT, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
}

TEST_F(NodeParts, all_interfaces_and_their_traits)
{
  using rclcpp::node_interfaces::has_node_base_interface;
  static_assert(has_node_base_interface<rclcpp::Node>::value && !has_node_base_interface<int>::value);
  static_assert(rclcpp::node_interfaces::has_node_timers_interface<rclcpp::Node>::value);
  static_assert(rclcpp::node_interfaces::has_node_topics_interface<rclcpp::Node>::value);
  static_assert(rclcpp::detail::template_contains_v<int, char, int>&& !rclcpp::detail::template_contains_v<int, char>);
  static_assert(rclcpp::detail::template_unique_v<int, char>&& !rclcpp::detail::template_unique_v<int, char, int>);
  auto node = new_node();
  const rclcpp::node_interfaces::NodeInterfaces<ALL_RCLCPP_NODE_INTERFACES> all(*node);
  EXPECT_EQ(all.get_node_base_interface(), node->get_node_base_interface());
  EXPECT_EQ(all.get_node_waitables_interface(), node->get_node_waitables_interface());
}

}  // namespace
