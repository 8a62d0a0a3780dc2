#ifndef RCLCPP__CREATE_GENERIC_CLIENT_HPP_
#define RCLCPP__CREATE_GENERIC_CLIENT_HPP_

#include <memory>
#include <string>

#include "rclcpp/detail/node_like.hpp"
#include "rclcpp/generic_client.hpp"

namespace rclcpp
{

/// Creates a client of a service whose type is given by its name, such as "std_srvs/srv/Trigger".
RCLCPP_PUBLIC rclcpp::GenericClient::SharedPtr create_generic_client(
  std::shared_ptr<node_interfaces::NodeBaseInterface> node_base,
  std::shared_ptr<node_interfaces::NodeGraphInterface> node_graph,
  std::shared_ptr<node_interfaces::NodeServicesInterface> node_services, const std::string & service_name,
  const std::string & service_type, const rclcpp::QoS & qos = rclcpp::ServicesQoS(),
  rclcpp::CallbackGroup::SharedPtr group = nullptr);

/// Creates a client for a node that is given as a reference or a pointer.
template<typename NodeT>
rclcpp::GenericClient::SharedPtr create_generic_client(
  NodeT && node, const std::string & service_name, const std::string & service_type,
  const rclcpp::QoS & qos = rclcpp::ServicesQoS(), rclcpp::CallbackGroup::SharedPtr group = nullptr)
{
  return create_generic_client(
    node_interfaces::get_node_base_interface(node), node_interfaces::get_node_graph_interface(node),
    node_interfaces::get_node_services_interface(node), service_name, service_type, qos, group);
}

}  // namespace rclcpp

#endif  // RCLCPP__CREATE_GENERIC_CLIENT_HPP_
