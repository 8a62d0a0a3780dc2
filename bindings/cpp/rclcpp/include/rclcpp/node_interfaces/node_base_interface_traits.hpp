#ifndef RCLCPP__NODE_INTERFACES__NODE_BASE_INTERFACE_TRAITS_HPP_
#define RCLCPP__NODE_INTERFACES__NODE_BASE_INTERFACE_TRAITS_HPP_

#include <memory>
#include <type_traits>

#include "rclcpp/node_interfaces/node_base_interface.hpp"

namespace rclcpp
{
namespace node_interfaces
{

/// Whether a type has the function `get_node_base_interface()` of a node.
template<class T, typename = void>
struct has_node_base_interface : std::false_type {};

template<class T>
struct has_node_base_interface<
  T, std::enable_if_t<std::is_same_v<
    std::shared_ptr<NodeBaseInterface>,
    std::decay_t<decltype(std::declval<T &>().get_node_base_interface())>>>>: std::true_type {};

}  // namespace node_interfaces
}  // namespace rclcpp

#endif  // RCLCPP__NODE_INTERFACES__NODE_BASE_INTERFACE_TRAITS_HPP_
