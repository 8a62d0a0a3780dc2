// Runs components in one process, each in an executor of its own. With --use_multi_threaded_executor these have several threads.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "rclcpp/rclcpp.hpp"
#include "rclcpp_components/component_manager_isolated.hpp"

int main(int argc, char * argv[])
{
  using rclcpp::executors::MultiThreadedExecutor;
  using rclcpp::executors::SingleThreadedExecutor;
  const std::vector<std::string> arguments = rclcpp::init_and_remove_ros_arguments(argc, argv);
  const bool has_threads =
    std::find(arguments.begin(), arguments.end(), "--use_multi_threaded_executor") != arguments.end();
  auto executor = std::make_shared<SingleThreadedExecutor>();
  std::shared_ptr<rclcpp_components::ComponentManager> manager;
  if (has_threads) {
    manager = std::make_shared<rclcpp_components::ComponentManagerIsolated<MultiThreadedExecutor>>(executor);
  } else {
    manager = std::make_shared<rclcpp_components::ComponentManagerIsolated<SingleThreadedExecutor>>(executor);
  }
  executor->add_node(manager);
  executor->spin();
  executor->remove_node(manager);
  manager.reset();
  rclcpp::shutdown();
}
