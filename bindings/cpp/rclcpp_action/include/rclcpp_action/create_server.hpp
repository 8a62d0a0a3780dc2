#ifndef RCLCPP_ACTION__CREATE_SERVER_HPP_
#define RCLCPP_ACTION__CREATE_SERVER_HPP_

#include <memory>
#include <string>
#include <utility>

#include "rclcpp/detail/owned.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/node_interfaces/node_clock_interface.hpp"
#include "rclcpp/node_interfaces/node_logging_interface.hpp"
#include "rclcpp/node_interfaces/node_waitables_interface.hpp"
#include "rclcpp_action/server.hpp"

namespace rclcpp_action
{

/// Creates a server of an action, with the interfaces of a node.
template<typename ActionT>
typename Server<ActionT>::SharedPtr create_server(
  rclcpp::node_interfaces::NodeBaseInterface::SharedPtr node_base_interface,
  rclcpp::node_interfaces::NodeClockInterface::SharedPtr,
  rclcpp::node_interfaces::NodeLoggingInterface::SharedPtr node_logging_interface,
  rclcpp::node_interfaces::NodeWaitablesInterface::SharedPtr, const std::string & name,
  typename Server<ActionT>::GoalCallback handle_goal, typename Server<ActionT>::CancelCallback handle_cancel,
  typename Server<ActionT>::AcceptedCallback handle_accepted,
  const rcl_action_server_options_t & options = rcl_action_server_get_default_options(),
  rclcpp::CallbackGroup::SharedPtr group = nullptr)
{
  auto server = std::make_shared<Server<ActionT>>(
    node_base_interface, node_logging_interface->get_logger().get_child("rclcpp_action"), name, options, handle_goal,
    handle_cancel, handle_accepted, group);
  server->open();
  return rclcpp::detail::owned(std::move(server));
}

/// Creates a server of an action of a node, which is given by a pointer.
template<typename ActionT, typename NodeT>
typename Server<ActionT>::SharedPtr create_server(
  NodeT node, const std::string & name, typename Server<ActionT>::GoalCallback handle_goal,
  typename Server<ActionT>::CancelCallback handle_cancel, typename Server<ActionT>::AcceptedCallback handle_accepted,
  const rcl_action_server_options_t & options = rcl_action_server_get_default_options(),
  rclcpp::CallbackGroup::SharedPtr group = nullptr)
{
  return create_server<ActionT>(
    node->get_node_base_interface(), node->get_node_clock_interface(), node->get_node_logging_interface(),
    node->get_node_waitables_interface(), name, handle_goal, handle_cancel, handle_accepted, options, group);
}

}  // namespace rclcpp_action

#endif  // RCLCPP_ACTION__CREATE_SERVER_HPP_
