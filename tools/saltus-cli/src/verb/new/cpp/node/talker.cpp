// Runs the node until Ctrl-C.
#include <memory>

#include "rclcpp/rclcpp.hpp"
#include "talker.hpp"

int main(int argc, char * argv[])
{
  rclcpp::init(argc, argv);
  rclcpp::spin(std::make_shared<Talker>());
  rclcpp::shutdown();
  return 0;
}
