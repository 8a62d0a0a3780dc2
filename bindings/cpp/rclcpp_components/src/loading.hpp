// How components are found in the index, and made.
#ifndef LOADING_HPP_
#define LOADING_HPP_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "class_loader/class_loader.hpp"
#include "composition_interfaces/srv/load_node.hpp"
#include "rclcpp/logger.hpp"
#include "rclcpp/node_options.hpp"
#include "rclcpp_components/component_manager.hpp"
#include "rclcpp_components/node_factory.hpp"

namespace rclcpp_components::detail
{

using LoadNode = composition_interfaces::srv::LoadNode;
/// A class, and the path of its library.
using Resource = std::pair<std::string, std::string>;
/// The libraries by their paths.
using Loaders = std::map<std::string, std::unique_ptr<class_loader::ClassLoader>>;

/// Returns the components of a package.
/// \throws ComponentManagerException if it has none, or its entry is not valid
RCLCPP_PUBLIC std::vector<Resource> find_resources(const std::string & package, const std::string & index);

/// Returns what makes the components of a class, or nullptr if the library does not have the class.
/// \throws ComponentManagerException if the library can't be loaded
RCLCPP_PUBLIC std::shared_ptr<NodeFactory> make_factory(
  Loaders & loaders, const Resource & resource, const rclcpp::Logger & logger);

/// Returns the options that a request to load a component gives.
/// \throws ComponentManagerException if it has an unknown extra argument
RCLCPP_PUBLIC rclcpp::NodeOptions options_of(const LoadNode::Request & request);

/// Returns the factory of the component with a name among the components of its package.
/// \throws ComponentManagerException if there is none
RCLCPP_PUBLIC std::shared_ptr<NodeFactory> find_factory(
  const std::vector<Resource> & resources, const std::string & plugin,
  const std::function<std::shared_ptr<NodeFactory>(const Resource &)> & factory_of);

/// Makes a component, and sets the level of its log if it is given.
/// \throws ComponentManagerException if the constructor throws an exception
RCLCPP_PUBLIC NodeInstanceWrapper make_component(
  NodeFactory & factory, const rclcpp::NodeOptions & options, uint8_t log_level);

}  // namespace rclcpp_components::detail

#endif  // LOADING_HPP_
