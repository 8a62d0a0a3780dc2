// Uses the parts of all kinds of interfaces of another package.
#include <iostream>
#include <type_traits>

#include "rosidl_typesupport_cpp/message_type_support.hpp"
#include "rover_msgs/action/drive.hpp"
#include "rover_msgs/msg/rover.hpp"
#include "rover_msgs/srv/set_mode.hpp"

static_assert(rosidl_generator_traits::is_action<rover_msgs::action::Drive>::value, "");
static_assert(rosidl_generator_traits::is_service<rover_msgs::srv::SetMode>::value, "");
static_assert(std::is_same<decltype(rover_msgs::action::Drive::Goal().goal.x), double>::value, "");

int main()
{
  auto rover = rosidl_typesupport_cpp::get_message_type_support_handle<rover_msgs::msg::Rover>();
  auto goal = rosidl_typesupport_cpp::get_message_type_support_handle<rover_msgs::action::Drive::Goal>();
  rover_msgs::msg::Limits limits;
  limits.turns.resize(4);
  return rover != nullptr && goal != nullptr && limits.turns.size() == 4 ? 0 : 1;
}
