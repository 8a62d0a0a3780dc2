#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "fixture.hpp"
#include "rcl_interfaces/msg/parameter_descriptor.hpp"
#include "rcl_interfaces/msg/parameter_event.hpp"
#include "rcl_interfaces/msg/set_parameters_result.hpp"

namespace
{

class Parameters : public WithContext {};

TEST_F(Parameters, the_type_comes_from_the_default)
{
  auto node = new_node();
  const double speed = node->declare_parameter("speed", 1.5);
  const int count = node->declare_parameter<int>("count", 3);
  const std::string name = node->declare_parameter("name", "robot");
  const std::vector<double> gains = node->declare_parameter("gains", std::vector<double>{1.0, 2.0});
  EXPECT_EQ(1.5, speed);
  EXPECT_EQ(3, count);
  EXPECT_EQ("robot", name);
  EXPECT_EQ((std::vector<double>{1.0, 2.0}), gains);
  EXPECT_EQ(1.5, node->get_parameter("speed").as_double());
  EXPECT_EQ(rclcpp::ParameterType::PARAMETER_INTEGER, node->get_parameter("count").get_type());
  EXPECT_TRUE(node->has_parameter("name"));
  float as_float = 0.0F;
  EXPECT_TRUE(node->get_parameter("speed", as_float));
  EXPECT_EQ(1.5F, as_float);
  EXPECT_EQ(9, node->get_parameter_or("absent", 9));
}

TEST_F(Parameters, an_override_comes_before_the_default)
{
  rclcpp::NodeOptions options;
  options.append_parameter_override("speed", 2.5).arguments({"--ros-args", "-p", "name:=other"});
  auto node = new_node(options);
  EXPECT_EQ(2.5, node->declare_parameter("speed", 1.5));
  EXPECT_EQ("other", node->declare_parameter("name", "robot"));
  EXPECT_EQ(2.5, node->declare_parameter<double>("again.speed", 2.5));
}

TEST_F(Parameters, an_override_of_another_type_is_refused)
{
  rclcpp::NodeOptions options;
  options.append_parameter_override("speed", "fast");
  auto node = new_node(options);
  EXPECT_THROW(node->declare_parameter("speed", 1.5), rclcpp::exceptions::InvalidParameterTypeException);
  EXPECT_FALSE(node->has_parameter("speed"));
}

TEST_F(Parameters, a_parameter_without_default_must_be_given)
{
  auto node = new_node();
  EXPECT_THROW(
    node->declare_parameter<double>("mass"), rclcpp::exceptions::UninitializedStaticallyTypedParameterException);
}

TEST_F(Parameters, misuse_throws)
{
  auto node = new_node();
  node->declare_parameter("speed", 1.5);
  EXPECT_THROW(node->declare_parameter("speed", 2.5), rclcpp::exceptions::ParameterAlreadyDeclaredException);
  EXPECT_THROW(node->declare_parameter("", 2.5), rclcpp::exceptions::InvalidParametersException);
  EXPECT_THROW(node->get_parameter("absent"), rclcpp::exceptions::ParameterNotDeclaredException);
  EXPECT_THROW(node->set_parameter({"absent", 1}), rclcpp::exceptions::ParameterNotDeclaredException);
  EXPECT_THROW(node->undeclare_parameter("absent"), rclcpp::exceptions::ParameterNotDeclaredException);
  EXPECT_THROW(node->get_parameter("speed").as_string(), rclcpp::ParameterTypeException);
}

TEST_F(Parameters, a_callback_can_refuse_a_value)
{
  auto node = new_node();
  node->declare_parameter("speed", 1.5);
  auto handle = node->add_on_set_parameters_callback(
    [](const std::vector<rclcpp::Parameter> & parameters) {
      rcl_interfaces::msg::SetParametersResult result;
      result.successful = parameters.front().as_double() >= 0.0;
      result.reason = result.successful ? "" : "negative";
      return result;
    });
  const auto refused = node->set_parameter({"speed", -1.0});
  EXPECT_FALSE(refused.successful);
  EXPECT_EQ("negative", refused.reason);
  EXPECT_EQ(1.5, node->get_parameter("speed").as_double());
  handle.reset();
  EXPECT_TRUE(node->set_parameter({"speed", -1.0}).successful);
}

TEST_F(Parameters, the_callbacks_around_a_change_see_it)
{
  auto node = new_node();
  node->declare_parameter("a", 1);
  node->declare_parameter("b", 1);
  auto before = node->add_pre_set_parameters_callback(
    [](std::vector<rclcpp::Parameter> & parameters) {parameters.emplace_back("b", 2);});
  std::vector<std::string> changed;
  auto after = node->add_post_set_parameters_callback(
    [&](const std::vector<rclcpp::Parameter> & parameters) {
      for (const auto & parameter : parameters) {
        changed.push_back(parameter.get_name() + "=" + parameter.value_to_string());
      }
    });
  EXPECT_TRUE(node->set_parameter({"a", 2}).successful);
  EXPECT_EQ((std::vector<std::string>{"a=2", "b=2"}), changed);
}

TEST_F(Parameters, a_range_and_read_only_hold)
{
  auto node = new_node();
  rcl_interfaces::msg::ParameterDescriptor descriptor;
  descriptor.floating_point_range.resize(1);
  descriptor.floating_point_range[0].from_value = 0.0;
  descriptor.floating_point_range[0].to_value = 2.0;
  node->declare_parameter("speed", 1.0, descriptor);
  EXPECT_FALSE(node->set_parameter({"speed", 3.0}).successful);
  EXPECT_TRUE(node->set_parameter({"speed", 2.0}).successful);
  rcl_interfaces::msg::ParameterDescriptor read_only;
  read_only.read_only = true;
  node->declare_parameter("frame", "map", read_only);
  EXPECT_FALSE(node->set_parameter({"frame", "odom"}).successful);
  EXPECT_THROW(node->undeclare_parameter("frame"), rclcpp::exceptions::ParameterImmutableException);
}

TEST_F(Parameters, a_change_of_the_type_needs_dynamic_typing)
{
  auto node = new_node();
  node->declare_parameter("fixed", 1);
  EXPECT_FALSE(node->set_parameter({"fixed", "text"}).successful);
  rcl_interfaces::msg::ParameterDescriptor dynamic;
  dynamic.dynamic_typing = true;
  node->declare_parameter("free", 1, dynamic);
  EXPECT_TRUE(node->set_parameter({"free", "text"}).successful);
  EXPECT_EQ("text", node->get_parameter("free").as_string());
}

TEST_F(Parameters, all_or_none_are_set)
{
  auto node = new_node();
  node->declare_parameter("a", 1);
  node->declare_parameter("b", 1);
  EXPECT_FALSE(node->set_parameters_atomically({{"a", 2}, {"b", "text"}}).successful);
  EXPECT_EQ(1, node->get_parameter("a").as_int());
  EXPECT_TRUE(node->set_parameters_atomically({{"a", 2}, {"b", 3}}).successful);
  EXPECT_EQ(3, node->get_parameter("b").as_int());
}

TEST_F(Parameters, parameters_are_listed_below_a_prefix)
{
  auto node = new_node();
  node->declare_parameters<double>("pid", {{"p", 1.0}, {"i", 0.1}});
  const auto listed = node->list_parameters({"pid"}, 10);
  EXPECT_EQ((std::vector<std::string>{"pid.i", "pid.p"}), listed.names);
  std::map<std::string, double> gains;
  EXPECT_TRUE(node->get_parameters("pid", gains));
  EXPECT_EQ((std::map<std::string, double>{{"i", 0.1}, {"p", 1.0}}), gains);
}

TEST_F(Parameters, given_parameters_can_declare_themselves)
{
  rclcpp::NodeOptions options;
  options.append_parameter_override("speed", 2.5).automatically_declare_parameters_from_overrides(true);
  auto node = new_node(options);
  EXPECT_EQ(2.5, node->get_parameter("speed").as_double());
  EXPECT_THROW(node->get_parameter("use_sim_time").as_string(), rclcpp::ParameterTypeException);
}

TEST_F(Parameters, undeclared_parameters_can_be_allowed)
{
  auto node = new_node(rclcpp::NodeOptions().allow_undeclared_parameters(true));
  EXPECT_EQ(rclcpp::ParameterType::PARAMETER_NOT_SET, node->get_parameter("absent").get_type());
  EXPECT_TRUE(node->set_parameter({"new", 3}).successful);
  EXPECT_EQ(3, node->get_parameter("new").as_int());
}

TEST_F(Parameters, events_of_changes_can_be_switched_off)
{
  const auto silent = std::make_shared<rclcpp::Node>("silent", rclcpp::NodeOptions().start_parameter_event_publisher(false));
  const auto telling = std::make_shared<rclcpp::Node>("telling", rclcpp::NodeOptions().start_parameter_services(false));
  auto node = new_node();
  std::vector<std::string> nodes;
  const auto subscription = node->create_subscription<rcl_interfaces::msg::ParameterEvent>(
    "/parameter_events", rclcpp::ParameterEventsQoS(),
    [&](const rcl_interfaces::msg::ParameterEvent & event) {nodes.push_back(event.node);});
  ASSERT_TRUE(spin_until(node, [&] {return subscription->get_publisher_count() == 1;}));
  silent->declare_parameter("speed", 1.5);
  telling->declare_parameter("speed", 1.5);
  EXPECT_TRUE(spin_until(node, [&] {return !nodes.empty();}));
  EXPECT_EQ((std::vector<std::string>{"/telling"}), nodes);
}

}  // namespace
