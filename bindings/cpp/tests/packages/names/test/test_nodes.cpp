// What a node says of itself, its options, its interfaces and the graph.
#include "common.hpp"

#include "std_srvs/srv/trigger.hpp"

namespace
{

class Nodes : public WithNode
{
protected:
  static rclcpp::Node::SharedPtr with(const rclcpp::NodeOptions & options)
  {
    return std::make_shared<rclcpp::Node>("other", "/robot", options);
  }
};

/// A node that gives itself to a helper, as packages do.
class Sharing : public rclcpp::Node
{
public:
  Sharing()
  : Node("sharing") {}
  std::string helped() {return shared_from_this()->get_name();}
};

}  // namespace

TEST_F(Nodes, names_are_those_of_the_constructor)
{
  auto other = with(rclcpp::NodeOptions());
  EXPECT_STREQ(other->get_name(), "other");
  EXPECT_STREQ(other->get_namespace(), "/robot");
  EXPECT_STREQ(other->get_fully_qualified_name(), "/robot/other");
  EXPECT_EQ(other->get_effective_namespace(), "/robot");
  EXPECT_STREQ(other->get_logger().get_name(), "robot.other");
  EXPECT_EQ(std::make_shared<Sharing>()->helped(), "sharing");
}

TEST_F(Nodes, arguments_of_the_options_remap)
{
  rclcpp::NodeOptions options;
  options.arguments({"--ros-args", "-r", "__node:=renamed", "-r", "from:=to"});
  options.use_global_arguments(false);
  auto other = with(options);
  EXPECT_STREQ(other->get_name(), "renamed");
  EXPECT_STREQ(other->create_publisher<Text>("from", 10)->get_topic_name(), "/robot/to");
  EXPECT_EQ(other->get_node_topics_interface()->resolve_topic_name("from"), "/robot/to");
  EXPECT_EQ(other->get_node_options().arguments().size(), 5u);
}

TEST_F(Nodes, options_override_parameters)
{
  auto options = rclcpp::NodeOptions().append_parameter_override("speed", 2.5);
  options.parameter_overrides().emplace_back("name", "rover");
  EXPECT_EQ(with(options)->declare_parameter("speed", 1.0), 2.5);
  options.automatically_declare_parameters_from_overrides(true);
  EXPECT_EQ(with(options)->get_parameter("name").as_string(), "rover");
  options.allow_undeclared_parameters(true);
  EXPECT_EQ(with(options)->get_parameter("unknown").get_type(), rclcpp::ParameterType::PARAMETER_NOT_SET);
  EXPECT_EQ(with(rclcpp::NodeOptions().parameter_overrides({{"a", 1}}))->declare_parameter("a", 0), 1);
}

TEST_F(Nodes, options_switch_services_and_messages_off)
{
  const auto options = rclcpp::NodeOptions().start_parameter_services(false).start_parameter_event_publisher(false)
    .use_intra_process_comms(true).enable_rosout(false);
  EXPECT_TRUE(options.use_intra_process_comms());
  auto other = with(options);
  EXPECT_EQ(other->count_services("/robot/other/get_parameters"), 0u);
  EXPECT_EQ(node->count_services("/tester/get_parameters"), 1u);
}

TEST_F(Nodes, a_logger_has_services_if_the_options_say_so)
{
  auto other = with(rclcpp::NodeOptions().enable_logger_service(true));
  EXPECT_EQ(other->count_services("/robot/other/set_logger_levels"), 1u);
}

TEST_F(Nodes, interfaces_are_parts_of_the_node)
{
  rclcpp::node_interfaces::NodeBaseInterface::SharedPtr base = node->get_node_base_interface();
  EXPECT_STREQ(base->get_name(), "tester");
  EXPECT_NE(base->get_rcl_node_handle(), nullptr);
  rclcpp::node_interfaces::NodeLoggingInterface::SharedPtr logging = node->get_node_logging_interface();
  EXPECT_STREQ(logging->get_logger_name(), "tester");
  rclcpp::node_interfaces::NodeClockInterface::SharedPtr clock = node->get_node_clock_interface();
  EXPECT_EQ(clock->get_clock(), node->get_clock());
  rclcpp::node_interfaces::NodeParametersInterface::SharedPtr parameters = node->get_node_parameters_interface();
  EXPECT_TRUE(parameters->has_parameter("use_sim_time"));
  rclcpp::node_interfaces::NodeTopicsInterface::SharedPtr topics = node->get_node_topics_interface();
  rclcpp::create_publisher<Text>(parameters, topics, "words", rclcpp::QoS(1));
  EXPECT_EQ(topics->get_node_base_interface(), base.get());
  rclcpp::node_interfaces::NodeTimersInterface::SharedPtr timers = node->get_node_timers_interface();
  auto timer = rclcpp::create_wall_timer(1h, [] {}, nullptr, base.get(), timers.get());
  EXPECT_GT(timer->time_until_trigger(), 59min);
  rclcpp::node_interfaces::NodeWaitablesInterface::SharedPtr waitables = node->get_node_waitables_interface();
  EXPECT_NE(waitables, nullptr);
  EXPECT_NE(node->get_node_services_interface(), nullptr);
  EXPECT_EQ(node->get_node_graph_interface()->get_node_names().size(), node->get_node_names().size());
}

TEST_F(Nodes, the_graph_shows_topics_and_services)
{
  auto publisher = node->create_publisher<Text>("words", rclcpp::QoS(3).best_effort());
  auto subscription = node->create_subscription<Text>("words", 10, [](const Text &) {});
  auto service = node->create_service<std_srvs::srv::Trigger>(
    "start", [](std_srvs::srv::Trigger::Request::SharedPtr, std_srvs::srv::Trigger::Response::SharedPtr) {});
  EXPECT_EQ(node->count_publishers("words"), 1u);
  EXPECT_EQ(node->count_subscribers("/words"), 1u);
  EXPECT_EQ(node->get_topic_names_and_types().at("/words"), (std::vector<std::string>{"std_msgs/msg/String"}));
  EXPECT_EQ(node->get_service_names_and_types().at("/start"), (std::vector<std::string>{"std_srvs/srv/Trigger"}));
  const auto found = node->get_publishers_info_by_topic("/words");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].node_name(), "tester");
  EXPECT_EQ(found[0].topic_type(), "std_msgs/msg/String");
  EXPECT_EQ(found[0].qos_profile().reliability(), rclcpp::ReliabilityPolicy::BestEffort);
  const auto subscriptions = node->get_subscriptions_info_by_topic("/words");
  ASSERT_EQ(subscriptions.size(), 1u);
  EXPECT_EQ(subscriptions[0].qos_profile().reliability(), rclcpp::ReliabilityPolicy::Reliable);
}

TEST_F(Nodes, a_change_of_the_graph_is_an_event)
{
  auto event = node->get_graph_event();
  auto publisher = node->create_publisher<Text>("words", 10);
  node->wait_for_graph_change(event, 10s);
  EXPECT_TRUE(event->check_and_clear());
}

TEST_F(Nodes, relative_names_are_expanded)
{
  EXPECT_EQ(rclcpp::expand_topic_or_service_name("words", "tester", "/robot"), "/robot/words");
  EXPECT_EQ(rclcpp::expand_topic_or_service_name("~/words", "tester", "/robot"), "/robot/tester/words");
  EXPECT_THROW(
    rclcpp::expand_topic_or_service_name("no words", "tester", "/"), rclcpp::exceptions::InvalidTopicNameError);
}
