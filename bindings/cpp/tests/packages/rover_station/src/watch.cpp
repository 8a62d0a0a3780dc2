// Prints the position and the mode of the rover, and ends after three messages.
#include <iostream>
#include <memory>

#include "rclcpp/rclcpp.hpp"
#include "rover_msgs/msg/rover.hpp"

int main(int argc, char * argv[])
{
  rclcpp::init(argc, argv);
  auto node = std::make_shared<rclcpp::Node>("watch");
  int count = 0;
  auto subscription = node->create_subscription<rover_msgs::msg::Rover>(
    "state", 10, [&count](const rover_msgs::msg::Rover & state) {
      std::cout << state.position.x << " " << state.mode << " " << state.wheels[1].faults.size() << " "
                << state.battery.voltage << std::endl;
      if (++count == 3) {
        rclcpp::shutdown();
      }
    });
  rclcpp::spin(node);
  return 0;
}
