// Libraries of components are loaded, used and unloaded again: nothing keeps their code.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "class_loader/class_loader.hpp"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_components/node_factory.hpp"
#include "std_msgs/msg/u_int64.hpp"

using namespace std::chrono_literals;  // NOLINT
using Number = std_msgs::msg::UInt64;
using rclcpp_components::NodeFactory;

namespace
{

/// Whether the library with the component is mapped.
bool is_mapped()
{
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line); ) {
    if (line.find(PART_LIBRARY) != std::string::npos) {
      return true;
    }
  }
  return false;
}

/// Loads the component, waits until it has received a number, and destroys it while it spins on another thread or here.
void load_and_unload(bool has_thread)
{
  class_loader::ClassLoader loader(PART_LIBRARY);
  EXPECT_TRUE(is_mapped());
  auto factory = loader.createInstance<NodeFactory>("rclcpp_components::NodeFactoryTemplate<part::Part>");
  auto component = factory->create_node_instance(rclcpp::NodeOptions());
  auto watching = std::make_shared<rclcpp::Node>("watching");
  uint64_t received = 0;
  auto subscription =
    watching->create_subscription<Number>("part/numbers", 10, [&](const Number & number) {received = number.data;});
  auto executor = std::make_shared<rclcpp::executors::SingleThreadedExecutor>();
  auto own = std::make_shared<rclcpp::executors::SingleThreadedExecutor>();
  executor->add_node(watching);
  (has_thread ? own : executor)->add_node(component.get_node_base_interface());
  std::thread spinning;
  if (has_thread) {
    spinning = std::thread([own] {own->spin();});
  }
  const auto end = std::chrono::steady_clock::now() + 10s;
  while (received < 3 && std::chrono::steady_clock::now() < end) {
    executor->spin_once(10ms);
  }
  EXPECT_GE(received, 3u);
  if (has_thread) {
    own->cancel();
    spinning.join();
  }
  (has_thread ? own : executor)->remove_node(component.get_node_base_interface());
}

}  // namespace

TEST(Unloading, a_component_leaves_nothing_in_the_process)
{
  rclcpp::init(0, nullptr);
  for (int round = 0; round < 25; ++round) {
    load_and_unload(round % 2 == 0);
  }
  rclcpp::shutdown();
}
