#ifndef RCLCPP__NODE_INTERFACES__NODE_SERVICES_INTERFACE_HPP_
#define RCLCPP__NODE_INTERFACES__NODE_SERVICES_INTERFACE_HPP_

#include <memory>
#include <string>

#include "rclcpp/callback_group.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/node_interfaces/detail/node_interfaces_helpers.hpp"
#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{

class ClientBase;
class ServiceBase;

namespace node_interfaces
{

/// The services and clients of a node.
class RCLCPP_PUBLIC NodeServicesInterface
{
public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(NodeServicesInterface)

  virtual ~NodeServicesInterface() = default;
  /// Does nothing: a client is open as soon as it is made.
  virtual void add_client(std::shared_ptr<rclcpp::ClientBase> client, rclcpp::CallbackGroup::SharedPtr group) = 0;
  /// Opens a service that was made without a function that creates it.
  virtual void add_service(std::shared_ptr<rclcpp::ServiceBase> service, rclcpp::CallbackGroup::SharedPtr group) = 0;
  virtual std::string resolve_service_name(const std::string & name, bool only_expand = false) const = 0;
};

}  // namespace node_interfaces
}  // namespace rclcpp

RCLCPP_NODE_INTERFACE_HELPERS_SUPPORT(rclcpp::node_interfaces::NodeServicesInterface, services)

#endif  // RCLCPP__NODE_INTERFACES__NODE_SERVICES_INTERFACE_HPP_
