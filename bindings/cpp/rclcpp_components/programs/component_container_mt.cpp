// Runs components in one process, on several threads. The parameter thread_num says how many; 0 is one for each CPU.
#include <memory>

#include "rclcpp/rclcpp.hpp"
#include "rclcpp_components/component_manager.hpp"

int main(int argc, char * argv[])
{
  rclcpp::init(argc, argv);
  auto manager = std::make_shared<rclcpp_components::ComponentManager>();
  const int64_t threads = manager->declare_parameter("thread_num", int64_t{0});
  auto executor = std::make_shared<rclcpp::executors::MultiThreadedExecutor>(
    rclcpp::ExecutorOptions(), static_cast<size_t>(threads > 0 ? threads : 0));
  manager->set_executor(executor);
  executor->add_node(manager);
  executor->spin();
  executor->remove_node(manager);
  manager.reset();
  rclcpp::shutdown();
}
