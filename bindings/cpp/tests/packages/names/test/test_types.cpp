// Messages: their types, pointers, initialization and names.
#include "common.hpp"

#include "builtin_interfaces/msg/duration.hpp"
#include "builtin_interfaces/msg/time.hpp"
#include "geometry_msgs/msg/point.hpp"
#include "geometry_msgs/msg/pose.hpp"
#include "geometry_msgs/msg/quaternion.hpp"
#include "lifecycle_msgs/msg/state.hpp"
#include "rcl_interfaces/msg/floating_point_range.hpp"
#include "rcl_interfaces/msg/integer_range.hpp"
#include "rcl_interfaces/msg/parameter_descriptor.hpp"
#include "rcl_interfaces/msg/parameter_event.hpp"
#include "rcl_interfaces/msg/parameter_type.hpp"
#include "rosidl_runtime_cpp/message_initialization.hpp"
#include "std_msgs/msg/header.hpp"

TEST(Types, ranges_are_bounded_lists_of_a_descriptor)
{
  rcl_interfaces::msg::ParameterDescriptor descriptor;
  rcl_interfaces::msg::IntegerRange integers;
  integers.set__from_value(1).set__to_value(10).set__step(3);
  descriptor.integer_range.push_back(integers);
  rcl_interfaces::msg::FloatingPointRange numbers;
  numbers.from_value = 0.5;
  descriptor.floating_point_range.resize(1);
  descriptor.floating_point_range[0] = numbers;
  EXPECT_EQ(descriptor.integer_range[0].to_value, 10);
  EXPECT_EQ(descriptor.floating_point_range.size(), 1u);
  EXPECT_THROW(descriptor.integer_range.push_back(integers), std::length_error);
}

TEST(Types, constants_are_members)
{
  static_assert(rcl_interfaces::msg::ParameterType::PARAMETER_DOUBLE == 3);
  static_assert(lifecycle_msgs::msg::State::PRIMARY_STATE_ACTIVE == 3);
  EXPECT_EQ(
    uint8_t{rcl_interfaces::msg::ParameterType::PARAMETER_STRING}, uint8_t{rclcpp::ParameterType::PARAMETER_STRING});
}

TEST(Types, initialization_sets_all_members)
{
  const std_msgs::msg::Header header(rosidl_runtime_cpp::MessageInitialization::ALL);
  EXPECT_EQ(header.stamp.sec, 0);
  EXPECT_EQ(header.frame_id, "");
}

TEST(Types, traits_name_them)
{
  EXPECT_STREQ(rosidl_generator_traits::name<Text>(), "std_msgs/msg/String");
  EXPECT_STREQ(rosidl_generator_traits::name<builtin_interfaces::msg::Time>(), "builtin_interfaces/msg/Time");
  EXPECT_STREQ(rosidl_generator_traits::data_type<Text>(), "std_msgs::msg::String");
}

TEST(Types, parameters_are_messages)
{
  rcl_interfaces::msg::Parameter parameter = rclcpp::Parameter("speed", 2.5).to_parameter_msg();
  EXPECT_EQ(parameter.name, "speed");
  EXPECT_EQ(parameter.value.double_value, 2.5);
  rcl_interfaces::msg::ParameterEvent event;
  event.changed_parameters.push_back(parameter);
  event.changed_parameters.clear();
  EXPECT_TRUE(event.changed_parameters.empty());
}

TEST(Types, a_builder_sets_each_field)
{
  const auto point = geometry_msgs::build<geometry_msgs::msg::Point>().x(1).y(2).z(3);
  EXPECT_EQ(point.x, 1);
  EXPECT_EQ(point.y, 2);
  EXPECT_EQ(point.z, 3);
  const auto pose = geometry_msgs::build<geometry_msgs::msg::Pose>().position(point).orientation(
    geometry_msgs::build<geometry_msgs::msg::Quaternion>().x(0).y(0).z(0).w(1));
  EXPECT_EQ(pose.position, point);
  EXPECT_EQ(pose.orientation.w, 1);
}

TEST(Types, the_header_of_a_message_also_brings_the_types_of_its_fields)
{
  EXPECT_TRUE(rosidl_generator_traits::is_message<rcl_interfaces::msg::ParameterValue>::value);
  EXPECT_STREQ(rosidl_generator_traits::name<rcl_interfaces::msg::ParameterValue>(), "rcl_interfaces/msg/ParameterValue");
}
