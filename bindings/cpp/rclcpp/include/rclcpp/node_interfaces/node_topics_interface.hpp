#ifndef RCLCPP__NODE_INTERFACES__NODE_TOPICS_INTERFACE_HPP_
#define RCLCPP__NODE_INTERFACES__NODE_TOPICS_INTERFACE_HPP_

#include <memory>
#include <string>

#include "rclcpp/callback_group.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/node_interfaces/node_timers_interface.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/node_interfaces/detail/node_interfaces_helpers.hpp"
#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{

class PublisherBase;
class SubscriptionBase;

namespace node_interfaces
{

/// The publishers and subscriptions of a node.
class RCLCPP_PUBLIC NodeTopicsInterface
{
public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(NodeTopicsInterface)

  virtual ~NodeTopicsInterface() = default;
  /// Opens a publisher or subscription that was made without a function that creates it.
  virtual void add_publisher(
    std::shared_ptr<rclcpp::PublisherBase> publisher, rclcpp::CallbackGroup::SharedPtr callback_group) = 0;
  virtual void add_subscription(
    std::shared_ptr<rclcpp::SubscriptionBase> subscription, rclcpp::CallbackGroup::SharedPtr callback_group) = 0;
  virtual NodeBaseInterface * get_node_base_interface() const = 0;
  virtual NodeTimersInterface * get_node_timers_interface() const = 0;
  virtual std::string resolve_topic_name(const std::string & name, bool only_expand = false) const = 0;
};

}  // namespace node_interfaces
}  // namespace rclcpp

RCLCPP_NODE_INTERFACE_HELPERS_SUPPORT(rclcpp::node_interfaces::NodeTopicsInterface, topics)

#endif  // RCLCPP__NODE_INTERFACES__NODE_TOPICS_INTERFACE_HPP_
