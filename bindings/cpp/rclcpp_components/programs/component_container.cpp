// Runs components in one process, one callback after the other.
#include <memory>

#include "rclcpp/rclcpp.hpp"
#include "rclcpp_components/component_manager.hpp"

int main(int argc, char * argv[])
{
  rclcpp::init(argc, argv);
  auto executor = std::make_shared<rclcpp::executors::SingleThreadedExecutor>();
  auto manager = std::make_shared<rclcpp_components::ComponentManager>(executor);
  executor->add_node(manager);
  executor->spin();
  executor->remove_node(manager);
  manager.reset();
  rclcpp::shutdown();
}
