#ifndef RCLCPP__DETAIL__NODE_LIKE_HPP_
#define RCLCPP__DETAIL__NODE_LIKE_HPP_

#include <memory>
#include <stdexcept>
#include <type_traits>

#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/node_interfaces/node_clock_interface.hpp"
#include "rclcpp/node_interfaces/node_graph_interface.hpp"
#include "rclcpp/node_interfaces/node_logging_interface.hpp"
#include "rclcpp/node_interfaces/node_parameters_interface.hpp"
#include "rclcpp/node_interfaces/node_services_interface.hpp"
#include "rclcpp/node_interfaces/node_timers_interface.hpp"
#include "rclcpp/node_interfaces/node_topics_interface.hpp"
#include "rclcpp/node_interfaces/node_waitables_interface.hpp"

namespace rclcpp::detail
{

template<typename T, typename = void>
struct IsPointer : std::false_type {};
template<typename T>
struct IsPointer<T, std::void_t<decltype(*std::declval<T &>()), decltype(std::declval<T &>().operator->())>>
  : std::true_type {};
template<typename T>
struct IsPointer<T *>: std::true_type {};

}  // namespace rclcpp::detail

namespace rclcpp::node_interfaces
{

// Each function returns an interface of a node. The node is given as a reference, a pointer of any kind, or as the interface.
#define RCLCPP_DETAIL_GETTER(name, Interface) \
  inline std::shared_ptr<Interface> get_node_ ## name ## _interface(std::shared_ptr<Interface> interface) \
  { \
    return interface; \
  } \
  template<typename NodeT> \
  std::enable_if_t<!std::is_convertible_v<NodeT &&, std::shared_ptr<Interface>>, std::shared_ptr<Interface>> \
  get_node_ ## name ## _interface(NodeT && node) \
  { \
    if constexpr (rclcpp::detail::IsPointer<std::decay_t<NodeT>>::value) { \
      if (node == nullptr) { \
        throw std::invalid_argument("node cannot be null"); \
      } \
      return node->get_node_ ## name ## _interface(); \
    } else { \
      return node.get_node_ ## name ## _interface(); \
    } \
  }

RCLCPP_DETAIL_GETTER(base, NodeBaseInterface)
RCLCPP_DETAIL_GETTER(clock, NodeClockInterface)
RCLCPP_DETAIL_GETTER(graph, NodeGraphInterface)
RCLCPP_DETAIL_GETTER(logging, NodeLoggingInterface)
RCLCPP_DETAIL_GETTER(parameters, NodeParametersInterface)
RCLCPP_DETAIL_GETTER(services, NodeServicesInterface)
RCLCPP_DETAIL_GETTER(timers, NodeTimersInterface)
RCLCPP_DETAIL_GETTER(topics, NodeTopicsInterface)
RCLCPP_DETAIL_GETTER(waitables, NodeWaitablesInterface)

#undef RCLCPP_DETAIL_GETTER

}  // namespace rclcpp::node_interfaces

namespace rclcpp::detail
{

template<typename T, typename = void>
struct HasBase : std::false_type {};
template<typename T>
struct HasBase<T, std::void_t<decltype(std::declval<T &>().get_node_base_interface())>>: std::true_type {};

/// Returns what has the interfaces of a node: what a pointer points to, or the object itself.
template<typename NodeT>
auto & pointed(NodeT && node)
{
  if constexpr (IsPointer<std::decay_t<NodeT>>::value) {
    return *node;
  } else {
    return node;
  }
}

/// Returns the parameters of the node that a base belongs to.
RCLCPP_PUBLIC node_interfaces::NodeParametersInterface * parameters_of(node_interfaces::NodeBaseInterface * base);

/// Returns the base of a node that is given in any way.
template<typename NodeT>
node_interfaces::NodeBaseInterface * base_of(NodeT && node)
{
  auto & it = pointed(node);
  if constexpr (std::is_base_of_v<node_interfaces::NodeBaseInterface, std::decay_t<decltype(it)>>) {
    return &it;
  } else if constexpr (std::is_base_of_v<node_interfaces::NodeTopicsInterface, std::decay_t<decltype(it)>>) {
    return it.get_node_base_interface();
  } else if constexpr (HasBase<std::decay_t<decltype(it)>>::value) {
    return it.get_node_base_interface().get();
  } else {
    return it.get_node_topics_interface()->get_node_base_interface();
  }
}

}  // namespace rclcpp::detail

#endif  // RCLCPP__DETAIL__NODE_LIKE_HPP_
