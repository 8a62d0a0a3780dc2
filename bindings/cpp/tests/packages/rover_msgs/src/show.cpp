// Prints a message with its defaults, and checks the constants.
#include <iostream>
#include <string>

#include "rover_msgs/msg/wheel.hpp"

using rover_msgs::msg::Wheel;

static_assert(Wheel::RIGHT == 1, "");
static_assert(rosidl_generator_traits::is_message<Wheel>::value, "");

int main()
{
  std::cout << rover_msgs::msg::to_yaml(Wheel(), true) << std::endl;
  return Wheel::UNIT == "rad/s" && Wheel::MAX_SPEED > 2.4F ? 0 : 1;
}
