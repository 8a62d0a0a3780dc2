// Runs components in C++ for the command saltus: in a container, one for a container, or one alone. Its words are those of the program for
// components in Rust: `container single`, `container mt [THREADS]`, `container isolated THREADS`, `alone PACKAGE PLUGIN`,
// `worker THREADS RESTARTS`. Arguments for ROS may follow.
#include <algorithm>
#include <cctype>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "../src/loading.hpp"
#include "connection.hpp"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_components/component_manager_isolated.hpp"

namespace
{

using rclcpp::executors::MultiThreadedExecutor;
using rclcpp::executors::SingleThreadedExecutor;
using rclcpp_components::ComponentManager;
using rclcpp_components::ComponentManagerIsolated;
namespace detail = rclcpp_components::detail;
using Words = std::vector<std::string>;
using Executor = std::shared_ptr<rclcpp::Executor>;

Executor make_executor(size_t threads)
{
  if (threads == 1) {
    return std::make_shared<SingleThreadedExecutor>();
  }
  return std::make_shared<MultiThreadedExecutor>(rclcpp::ExecutorOptions(), threads);
}

/// Returns the number that a word is, or 0 if there is no such word.
size_t number(const Words & words, size_t index)
{
  const bool is_given = words.size() > index && !words[index].empty() && std::isdigit(words[index][0]) != 0;
  return is_given ? std::stoul(words[index]) : 0;
}

void spin(const Executor & executor, const std::shared_ptr<ComponentManager> & manager)
{
  manager->set_executor(executor);
  executor->add_node(manager);
  executor->spin();
  executor->remove_node(manager);
}

void run_container(const Words & words)
{
  const std::string & kind = words.at(1);
  if (kind == "isolated") {
    const auto executor = make_executor(1);
    if (number(words, 2) <= 1) {
      spin(executor, std::make_shared<ComponentManagerIsolated<SingleThreadedExecutor>>());
    } else {
      spin(executor, std::make_shared<ComponentManagerIsolated<MultiThreadedExecutor>>());
    }
    return;
  }
  const auto manager = std::make_shared<ComponentManager>();
  size_t threads = 1;
  if (kind == "mt") {
    const int64_t wanted = manager->declare_parameter("thread_num", static_cast<int64_t>(number(words, 2)));
    threads = static_cast<size_t>(wanted > 0 ? wanted : 0);
  }
  spin(make_executor(threads), manager);
}

/// Returns the factory of a component, whose library stays as long as `loaders`.
std::shared_ptr<rclcpp_components::NodeFactory> find(
  detail::Loaders & loaders, const std::string & package, const std::string & plugin)
{
  return detail::find_factory(
    detail::find_resources(package, "rclcpp_components"), plugin,
    [&loaders](const detail::Resource & resource) {
      return detail::make_factory(loaders, resource, rclcpp::get_logger("component"));
    });
}

void spin(const rclcpp_components::NodeInstanceWrapper & component, size_t threads)
{
  const auto executor = make_executor(threads);
  executor->add_node(component.get_node_base_interface());
  executor->spin();
  executor->remove_node(component.get_node_base_interface());
}

/// Runs a component on its own.
void run_alone(const Words & words, const std::vector<std::string> & arguments)
{
  detail::Loaders loaders;
  const auto factory = find(loaders, words.at(1), words.at(2));
  spin(detail::make_component(*factory, rclcpp::NodeOptions().arguments(arguments), 0), 1);
}

/// Runs a component for a container, which is connected to the standard input.
void run_worker(const Words & words)
{
  rclcpp_components::Connection connection;
  const auto request = connection.read_start();
  connection.shut_down_at_end();
  detail::Loaders loaders;
  rclcpp_components::NodeInstanceWrapper component;
  detail::LoadNode::Response response;
  try {
    const auto factory = find(loaders, request->package_name, request->plugin_name);
    component = detail::make_component(*factory, detail::options_of(*request), request->log_level);
    response.full_node_name = component.get_node_base_interface()->get_fully_qualified_name();
    response.success = true;
  } catch (const std::exception & error) {
    // The container logs it.
    response.error_message = error.what();
  }
  connection.answer(response);
  if (response.success) {
    spin(component, std::max<size_t>(number(words, 1), 1));
  }
}

void run(const Words & words, const std::vector<std::string> & arguments)
{
  if (words.size() >= 2 && words[0] == "container") {
    run_container(words);
  } else if (words.size() >= 3 && words[0] == "alone") {
    run_alone(words, arguments);
  } else if (words.size() >= 2 && words[0] == "worker") {
    run_worker(words);
  } else {
    throw std::runtime_error("these words are not a role of this program, which `saltus` starts");
  }
}

}  // namespace

int main(int argc, char * argv[])
{
  int code = 0;
  try {
    const std::vector<std::string> arguments = rclcpp::init_and_remove_ros_arguments(argc, argv);
    run(Words(arguments.begin() + 1, arguments.end()), arguments);
  } catch (const std::exception & error) {
    std::cerr << "saltus: " << error.what() << std::endl;
    code = 1;
  }
  rclcpp::shutdown();
  return code;
}
