#ifndef RCLCPP__NODE_INTERFACES__NODE_INTERFACES_HPP_
#define RCLCPP__NODE_INTERFACES__NODE_INTERFACES_HPP_

#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/node_interfaces/node_clock_interface.hpp"
#include "rclcpp/node_interfaces/node_graph_interface.hpp"
#include "rclcpp/node_interfaces/node_logging_interface.hpp"
#include "rclcpp/node_interfaces/node_parameters_interface.hpp"
#include "rclcpp/node_interfaces/node_services_interface.hpp"
#include "rclcpp/node_interfaces/node_time_source_interface.hpp"
#include "rclcpp/node_interfaces/node_timers_interface.hpp"
#include "rclcpp/node_interfaces/node_topics_interface.hpp"
#include "rclcpp/node_interfaces/node_type_descriptions_interface.hpp"
#include "rclcpp/node_interfaces/node_waitables_interface.hpp"

namespace rclcpp
{
namespace node_interfaces
{

/// All interfaces of a node, as parameters of NodeInterfaces.
#define ALL_RCLCPP_NODE_INTERFACES \
  rclcpp::node_interfaces::NodeBaseInterface, \
  rclcpp::node_interfaces::NodeClockInterface, \
  rclcpp::node_interfaces::NodeGraphInterface, \
  rclcpp::node_interfaces::NodeLoggingInterface, \
  rclcpp::node_interfaces::NodeParametersInterface, \
  rclcpp::node_interfaces::NodeServicesInterface, \
  rclcpp::node_interfaces::NodeTimeSourceInterface, \
  rclcpp::node_interfaces::NodeTimersInterface, \
  rclcpp::node_interfaces::NodeTopicsInterface, \
  rclcpp::node_interfaces::NodeTypeDescriptionsInterface, \
  rclcpp::node_interfaces::NodeWaitablesInterface

/// Some interfaces of a node. It is made from a node, a pointer to one, or from other interfaces.
template<typename ... InterfaceTs>
class NodeInterfaces
  : public decltype(detail::getter_of(
      static_cast<const InterfaceTs *>(nullptr), static_cast<const NodeInterfaces<InterfaceTs...> *>(nullptr)))...
{
  static_assert(sizeof...(InterfaceTs) > 0, "must provide at least one interface as a template argument");

public:
  using NodeInterfacesT = NodeInterfaces<InterfaceTs...>;

  /// Makes it without interfaces: each is a null pointer.
  NodeInterfaces() = default;

  template<
    typename NodeT,
    typename = std::enable_if_t<!std::is_base_of_v<NodeInterfaces, std::decay_t<NodeT>>>,
    typename = decltype(detail::InterfaceOf<std::tuple_element_t<0, std::tuple<InterfaceTs...>>>::take(
      std::declval<NodeT &>()))>
  NodeInterfaces(NodeT & node)  // NOLINT
  : interfaces_(detail::InterfaceOf<InterfaceTs>::take(node) ...) {}

  template<typename NodeT>
  NodeInterfaces(std::shared_ptr<NodeT> node)  // NOLINT
  : interfaces_(detail::InterfaceOf<InterfaceTs>::take(*node) ...) {}

  explicit NodeInterfaces(std::shared_ptr<InterfaceTs>... interfaces)
  : interfaces_(interfaces ...) {}

  /// Returns an interface.
  template<typename Interface>
  std::shared_ptr<Interface> get() const
  {
    static_assert(
      (std::is_same_v<Interface, InterfaceTs>|| ...), "NodeInterfaces class does not contain given NodeInterfaceType");
    return std::get<std::shared_ptr<Interface>>(interfaces_);
  }

private:
  std::tuple<std::shared_ptr<InterfaceTs>...> interfaces_;
};

}  // namespace node_interfaces
}  // namespace rclcpp

#endif  // RCLCPP__NODE_INTERFACES__NODE_INTERFACES_HPP_
