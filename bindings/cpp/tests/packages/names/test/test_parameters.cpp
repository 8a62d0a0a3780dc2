// Parameters of a node.
#include "common.hpp"

namespace
{

/// A node that checks its parameters, as packages do.
class Robot : public rclcpp::Node
{
public:
  Robot()
  : Node("robot")
  {
    this->declare_parameter("speed", 1.0);
    this->declare_parameter<std::string>("name", "rover");
    callback_ = this->add_on_set_parameters_callback(std::bind(&Robot::on_parameters, this, _1));
  }

  double speed = 1.0;

private:
  rcl_interfaces::msg::SetParametersResult on_parameters(const std::vector<rclcpp::Parameter> & parameters)
  {
    rcl_interfaces::msg::SetParametersResult result;
    result.successful = true;
    for (const auto & parameter : parameters) {
      if (parameter.get_name() == "speed" && parameter.get_type() == rclcpp::ParameterType::PARAMETER_DOUBLE) {
        if (parameter.as_double() < 0.0) {
          result.successful = false;
          result.reason = "the speed is negative";
        } else {
          speed = parameter.as_double();
        }
      }
    }
    return result;
  }

  rclcpp::Node::OnSetParametersCallbackHandle::SharedPtr callback_;
};

class Parameters : public WithNode {};

}  // namespace

TEST_F(Parameters, a_declared_parameter_has_its_default)
{
  EXPECT_FALSE(node->has_parameter("speed"));
  node->declare_parameter("speed", 2.5);
  EXPECT_TRUE(node->has_parameter("speed"));
  EXPECT_EQ(node->get_parameter("speed").as_double(), 2.5);
  double speed = 0.0;
  EXPECT_TRUE(node->get_parameter("speed", speed));
  EXPECT_EQ(speed, 2.5);
  EXPECT_EQ(node->declare_parameter<int>("count", 3), 3);
  EXPECT_EQ(node->declare_parameter("value", rclcpp::ParameterValue(7)).get<int>(), 7);
  EXPECT_EQ(node->declare_parameter("list", std::vector<double>{1.5}).size(), 1u);
}

TEST_F(Parameters, get_reads_all_types)
{
  node->declare_parameter("bool", true);
  node->declare_parameter("int", 3);
  node->declare_parameter("double", 1.5);
  node->declare_parameter("string", "text");
  node->declare_parameter("bools", std::vector<bool>{true});
  node->declare_parameter("ints", std::vector<int64_t>{1, 2});
  node->declare_parameter("doubles", std::vector<double>{0.5});
  node->declare_parameter("strings", std::vector<std::string>{"a", "b"});
  EXPECT_TRUE(node->get_parameter("bool").as_bool());
  EXPECT_EQ(node->get_parameter("int").as_int(), 3);
  EXPECT_EQ(node->get_parameter("double").as_double(), 1.5);
  EXPECT_EQ(node->get_parameter("string").as_string(), "text");
  EXPECT_EQ(node->get_parameter("bools").as_bool_array(), std::vector<bool>{true});
  EXPECT_EQ(node->get_parameter("ints").as_integer_array(), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(node->get_parameter("doubles").as_double_array(), std::vector<double>{0.5});
  EXPECT_EQ(node->get_parameter("strings").as_string_array(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(node->get_parameter("int").get_value<int64_t>(), 3);
  EXPECT_EQ(node->get_parameter("strings").get_value<rclcpp::ParameterType::PARAMETER_STRING_ARRAY>().size(), 2u);
  EXPECT_THROW(node->get_parameter("int").as_double(), rclcpp::ParameterTypeException);
  EXPECT_THROW(node->get_parameter("int").get_value<double>(), rclcpp::exceptions::InvalidParameterTypeException);
}

TEST_F(Parameters, a_parameter_has_a_type_and_a_text)
{
  const rclcpp::Parameter parameter("speed", 2);
  EXPECT_EQ(parameter.get_type(), rclcpp::ParameterType::PARAMETER_INTEGER);
  EXPECT_EQ(parameter.get_type_name(), "integer");
  EXPECT_EQ(parameter.value_to_string(), "2");
  EXPECT_EQ(rclcpp::to_string(parameter.get_parameter_value()), "2");
  EXPECT_EQ(rclcpp::Parameter("a", true).get_type(), rclcpp::ParameterType::PARAMETER_BOOL);
  EXPECT_EQ(rclcpp::Parameter("a", "b").get_type(), rclcpp::ParameterType::PARAMETER_STRING);
  EXPECT_EQ(rclcpp::Parameter("a").get_type(), rclcpp::ParameterType::PARAMETER_NOT_SET);
  EXPECT_EQ(
    rclcpp::Parameter("a", std::vector<std::string>{}).get_type(), rclcpp::ParameterType::PARAMETER_STRING_ARRAY);
  EXPECT_EQ(parameter.to_parameter_msg().value.integer_value, 2);
}

TEST_F(Parameters, values_are_of_one_type)
{
  const rclcpp::ParameterValue value(1.5);
  EXPECT_EQ(value.get_type(), rclcpp::PARAMETER_DOUBLE);
  EXPECT_THROW(value.get<std::string>(), rclcpp::ParameterTypeException);
}

TEST_F(Parameters, types_without_a_default_need_a_value)
{
  node->declare_parameter("double", rclcpp::PARAMETER_DOUBLE);
  node->declare_parameter("string", rclcpp::PARAMETER_STRING);
  node->declare_parameter("int", rclcpp::PARAMETER_INTEGER);
  node->declare_parameter("bool", rclcpp::PARAMETER_BOOL);
  node->declare_parameter("doubles", rclcpp::PARAMETER_DOUBLE_ARRAY);
  EXPECT_THROW(node->get_parameter("double"), rclcpp::exceptions::ParameterUninitializedException);
  EXPECT_TRUE(node->set_parameter({"double", 2.5}).successful);
  EXPECT_FALSE(node->set_parameter({"string", 2.5}).successful);
  EXPECT_FALSE(node->set_parameter({"int", 2.5}).successful);
  EXPECT_TRUE(node->set_parameter({"bool", false}).successful);
  EXPECT_TRUE(node->set_parameter({"doubles", std::vector<double>{1.0}}).successful);
  EXPECT_THROW(
    node->declare_parameter<int>("needed"), rclcpp::exceptions::UninitializedStaticallyTypedParameterException);
}

TEST_F(Parameters, a_callback_decides_about_changes)
{
  auto robot = std::make_shared<Robot>();
  EXPECT_TRUE(robot->set_parameter(rclcpp::Parameter("speed", 3.0)).successful);
  EXPECT_EQ(robot->speed, 3.0);
  const rcl_interfaces::msg::SetParametersResult result = robot->set_parameter(rclcpp::Parameter("speed", -1.0));
  EXPECT_FALSE(result.successful);
  EXPECT_EQ(result.reason, "the speed is negative");
  EXPECT_EQ(robot->get_parameter("speed").as_double(), 3.0);
}

TEST_F(Parameters, a_callback_is_removed)
{
  rclcpp::node_interfaces::OnSetParametersCallbackHandle::SharedPtr handle = node->add_on_set_parameters_callback(
    [](const std::vector<rclcpp::Parameter> &) {
      auto result = rcl_interfaces::msg::SetParametersResult();
      result.successful = false;
      return result;
    });
  EXPECT_THROW(node->declare_parameter("a", 1), rclcpp::exceptions::InvalidParameterValueException);
  node->remove_on_set_parameters_callback(handle.get());
  EXPECT_EQ(node->declare_parameter("a", 1), 1);
}

TEST_F(Parameters, several_are_declared_set_and_read)
{
  node->declare_parameters<int>("wheel", {{"left", 1}, {"right", 2}});
  std::map<std::string, int> wheels;
  EXPECT_TRUE(node->get_parameters("wheel", wheels));
  EXPECT_EQ(wheels, (std::map<std::string, int>{{"left", 1}, {"right", 2}}));
  const auto results = node->set_parameters({{"wheel.left", 5}, {"wheel.right", "wrong"}});
  EXPECT_TRUE(results[0].successful);
  EXPECT_FALSE(results[1].successful);
  EXPECT_FALSE(node->set_parameters_atomically({{"wheel.left", 6}, {"wheel.right", "wrong"}}).successful);
  const std::vector<rclcpp::Parameter> found = node->get_parameters({"wheel.left", "wheel.right"});
  EXPECT_EQ(found[0].as_int(), 5);
  EXPECT_EQ(node->list_parameters({"wheel"}, 0).names, (std::vector<std::string>{"wheel.left", "wheel.right"}));
}

TEST_F(Parameters, an_undeclared_parameter_has_an_alternative)
{
  double speed = 0.0;
  EXPECT_FALSE(node->get_parameter_or("speed", speed, 4.0));
  EXPECT_EQ(speed, 4.0);
  EXPECT_EQ(node->get_parameter_or("name", std::string("nobody")), "nobody");
}

TEST_F(Parameters, mistakes_are_exceptions)
{
  EXPECT_THROW(node->get_parameter("unknown"), rclcpp::exceptions::ParameterNotDeclaredException);
  node->declare_parameter("speed", 1.0);
  EXPECT_THROW(node->declare_parameter("speed", 1.0), rclcpp::exceptions::ParameterAlreadyDeclaredException);
  rcl_interfaces::msg::ParameterDescriptor descriptor;
  descriptor.integer_range.resize(1);
  descriptor.integer_range[0].from_value = 1;
  descriptor.integer_range[0].to_value = 5;
  EXPECT_THROW(node->declare_parameter("gear", 9, descriptor), rclcpp::exceptions::InvalidParameterValueException);
}

TEST_F(Parameters, a_parameter_of_any_type_is_undeclared)
{
  rcl_interfaces::msg::ParameterDescriptor descriptor;
  descriptor.dynamic_typing = true;
  node->declare_parameter("any", rclcpp::ParameterValue(1), descriptor);
  EXPECT_TRUE(node->set_parameter({"any", "text"}).successful);
  node->undeclare_parameter("any");
  EXPECT_FALSE(node->has_parameter("any"));
}
