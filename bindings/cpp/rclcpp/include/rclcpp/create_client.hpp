#ifndef RCLCPP__CREATE_CLIENT_HPP_
#define RCLCPP__CREATE_CLIENT_HPP_

#include <memory>
#include <string>

#include "rclcpp/client.hpp"
#include "rclcpp/detail/node_like.hpp"
#include "rclcpp/detail/owned.hpp"

namespace rclcpp
{

/// Creates a client of a service.
template<typename ServiceT>
typename rclcpp::Client<ServiceT>::SharedPtr
create_client(
  std::shared_ptr<node_interfaces::NodeBaseInterface> node_base,
  std::shared_ptr<node_interfaces::NodeGraphInterface>, std::shared_ptr<node_interfaces::NodeServicesInterface>,
  const std::string & service_name, const rclcpp::QoS & qos = rclcpp::ServicesQoS(),
  rclcpp::CallbackGroup::SharedPtr group = nullptr)
{
  return detail::owned(std::make_shared<Client<ServiceT>>(node_base.get(), service_name, qos, group));
}

/// As above, with a profile of rmw.
template<typename ServiceT>
typename rclcpp::Client<ServiceT>::SharedPtr
create_client(
  std::shared_ptr<node_interfaces::NodeBaseInterface> node_base,
  std::shared_ptr<node_interfaces::NodeGraphInterface>, std::shared_ptr<node_interfaces::NodeServicesInterface>,
  const std::string & service_name, const rmw_qos_profile_t & qos_profile, rclcpp::CallbackGroup::SharedPtr group)
{
  const QoS qos(QoSInitialization::from_rmw(qos_profile), qos_profile);
  return detail::owned(std::make_shared<Client<ServiceT>>(node_base.get(), service_name, qos, group));
}

}  // namespace rclcpp

#endif  // RCLCPP__CREATE_CLIENT_HPP_
