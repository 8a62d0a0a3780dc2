#ifndef RCLCPP__NODE_INTERFACES__DETAIL__NODE_INTERFACES_HELPERS_HPP_
#define RCLCPP__NODE_INTERFACES__DETAIL__NODE_INTERFACES_HELPERS_HPP_

#include <memory>
#include <type_traits>
#include <utility>

namespace rclcpp::node_interfaces::detail
{

/// How an interface is taken from a node. Each interface has its own.
template<typename Interface>
struct InterfaceOf;

}  // namespace rclcpp::node_interfaces::detail

/// Lets NodeInterfaces<> have an interface, and defines the trait `has_node_…_interface`: whether a type has the function of a node
/// that returns the interface.
#define RCLCPP_NODE_INTERFACE_HELPERS_SUPPORT(NodeInterfaceType, NodeInterfaceName) \
  template<> \
  struct rclcpp::node_interfaces::detail::InterfaceOf<NodeInterfaceType> \
  { \
    template<typename NodeT> \
    static std::shared_ptr<NodeInterfaceType> take(NodeT & node) \
    { \
      return node.get_node_ ## NodeInterfaceName ## _interface(); \
    } \
  }; \
  namespace rclcpp::node_interfaces::detail \
  { \
  template<typename Owner> \
  struct Has_ ## NodeInterfaceName \
  { \
    std::shared_ptr<NodeInterfaceType> get_node_ ## NodeInterfaceName ## _interface() const \
    { \
      return static_cast<const Owner *>(this)->template get<NodeInterfaceType>(); \
    } \
  }; \
  template<typename Owner> \
  Has_ ## NodeInterfaceName<Owner> getter_of(const NodeInterfaceType *, const Owner *); \
  } \
  namespace rclcpp::node_interfaces \
  { \
  template<class T, typename = void> \
  struct has_node_ ## NodeInterfaceName ## _interface : std::false_type {}; \
  template<class T> \
  struct has_node_ ## NodeInterfaceName ## _interface< \
    T, std::enable_if_t<std::is_same_v<std::shared_ptr<NodeInterfaceType>, \
    std::decay_t<decltype(std::declval<T &>().get_node_ ## NodeInterfaceName ## _interface())>>>> : std::true_type {}; \
  }

#endif  // RCLCPP__NODE_INTERFACES__DETAIL__NODE_INTERFACES_HELPERS_HPP_
