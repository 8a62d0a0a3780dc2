#ifndef RCLCPP_COMPONENTS__COMPONENT_MANAGER_HPP_
#define RCLCPP_COMPONENTS__COMPONENT_MANAGER_HPP_

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "composition_interfaces/srv/list_nodes.hpp"
#include "composition_interfaces/srv/load_node.hpp"
#include "composition_interfaces/srv/unload_node.hpp"
#include "rclcpp/executor.hpp"
#include "rclcpp/node.hpp"
#include "rclcpp_components/node_factory.hpp"

namespace class_loader
{
class ClassLoader;
}  // namespace class_loader

namespace rclcpp_components
{

/// A component can't be found, or can't be made.
class ComponentManagerException : public std::runtime_error
{
public:
  explicit ComponentManagerException(const std::string & error_desc)
  : std::runtime_error(error_desc) {}
};

/// Loads components when other nodes ask for it, and adds their nodes to an executor. Its services are those of
/// composition_interfaces: ~/_container/load_node, ~/_container/unload_node and ~/_container/list_nodes.
class RCLCPP_PUBLIC ComponentManager : public rclcpp::Node
{
public:
  using LoadNode = composition_interfaces::srv::LoadNode;
  using UnloadNode = composition_interfaces::srv::UnloadNode;
  using ListNodes = composition_interfaces::srv::ListNodes;
  /// A class, and the path of its library.
  using ComponentResource = std::pair<std::string, std::string>;

  explicit ComponentManager(
    std::weak_ptr<rclcpp::Executor> executor = std::weak_ptr<rclcpp::Executor>(),
    std::string node_name = "ComponentManager", const rclcpp::NodeOptions & node_options = default_options());
  ~ComponentManager() override;

  /// Returns the components that a package has.
  /// \throws ComponentManagerException if the package has none, or its entry in the index is not valid
  virtual std::vector<ComponentResource> get_component_resources(
    const std::string & package_name, const std::string & resource_index = "rclcpp_components") const;
  /// Returns what makes the components of a class, or nullptr if the library does not have the class.
  /// \throws ComponentManagerException if the library can't be loaded
  virtual std::shared_ptr<NodeFactory> create_component_factory(const ComponentResource & resource);
  virtual void set_executor(const std::weak_ptr<rclcpp::Executor> executor);

  /// Returns the options of a component manager: without services for parameters.
  static rclcpp::NodeOptions default_options();

protected:
  /// Returns the options with which a component is made.
  virtual rclcpp::NodeOptions create_node_options(const std::shared_ptr<LoadNode::Request> request);
  virtual void add_node_to_executor(uint64_t node_id);
  virtual void remove_node_from_executor(uint64_t node_id);
  /// Ends the services. A load or an unload on another thread has ended when this function returns, so that a destructor can destroy
  /// the components.
  void end_services();

  virtual void on_load_node(
    const std::shared_ptr<rmw_request_id_t> request_header, const std::shared_ptr<LoadNode::Request> request,
    std::shared_ptr<LoadNode::Response> response);
  virtual void on_unload_node(
    const std::shared_ptr<rmw_request_id_t> request_header, const std::shared_ptr<UnloadNode::Request> request,
    std::shared_ptr<UnloadNode::Response> response);
  virtual void on_list_nodes(
    const std::shared_ptr<rmw_request_id_t> request_header, const std::shared_ptr<ListNodes::Request> request,
    std::shared_ptr<ListNodes::Response> response);

  std::weak_ptr<rclcpp::Executor> executor_;
  /// The number of the newest component.
  uint64_t unique_id_ = 0;
  /// The libraries by their paths. They stay until the manager has gone.
  std::map<std::string, std::unique_ptr<class_loader::ClassLoader>> loaders_;
  std::map<uint64_t, NodeInstanceWrapper> node_wrappers_;
  rclcpp::Service<LoadNode>::SharedPtr loadNode_srv_;
  rclcpp::Service<UnloadNode>::SharedPtr unloadNode_srv_;
  rclcpp::Service<ListNodes>::SharedPtr listNodes_srv_;
};

}  // namespace rclcpp_components

#endif  // RCLCPP_COMPONENTS__COMPONENT_MANAGER_HPP_
