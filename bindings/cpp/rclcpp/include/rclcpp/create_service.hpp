#ifndef RCLCPP__CREATE_SERVICE_HPP_
#define RCLCPP__CREATE_SERVICE_HPP_

#include <memory>
#include <string>
#include <utility>

#include "rclcpp/detail/node_like.hpp"
#include "rclcpp/detail/owned.hpp"
#include "rclcpp/service.hpp"

namespace rclcpp
{

/// Offers a service.
template<typename ServiceT, typename CallbackT>
typename rclcpp::Service<ServiceT>::SharedPtr
create_service(
  std::shared_ptr<node_interfaces::NodeBaseInterface> node_base,
  std::shared_ptr<node_interfaces::NodeServicesInterface>, const std::string & service_name, CallbackT && callback,
  const rclcpp::QoS & qos = rclcpp::ServicesQoS(), rclcpp::CallbackGroup::SharedPtr group = nullptr)
{
  auto service = std::make_shared<Service<ServiceT>>(
    node_base.get(), service_name, std::forward<CallbackT>(callback), qos, group);
  service->open();
  return detail::owned(std::move(service));
}

/// As above, with a profile of rmw.
template<typename ServiceT, typename CallbackT>
typename rclcpp::Service<ServiceT>::SharedPtr
create_service(
  std::shared_ptr<node_interfaces::NodeBaseInterface> node_base,
  std::shared_ptr<node_interfaces::NodeServicesInterface> node_services, const std::string & service_name,
  CallbackT && callback, const rmw_qos_profile_t & qos_profile, rclcpp::CallbackGroup::SharedPtr group)
{
  const QoS qos(QoSInitialization::from_rmw(qos_profile), qos_profile);
  return create_service<ServiceT>(
    node_base, node_services, service_name, std::forward<CallbackT>(callback), qos, group);
}

}  // namespace rclcpp

#endif  // RCLCPP__CREATE_SERVICE_HPP_
