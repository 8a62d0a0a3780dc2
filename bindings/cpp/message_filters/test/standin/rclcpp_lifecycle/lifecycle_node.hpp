// A stand-in for rclcpp_lifecycle::LifecycleNode, for tests without rclcpp.
#ifndef RCLCPP_LIFECYCLE_LIFECYCLE_NODE_HPP_
#define RCLCPP_LIFECYCLE_LIFECYCLE_NODE_HPP_

#include <memory>

#include "rclcpp/rclcpp.hpp"

namespace rclcpp_lifecycle
{

// It is not a rclcpp::Node.
class LifecycleNode : private rclcpp::Node
{
public:
  using SharedPtr = std::shared_ptr<LifecycleNode>;

  using rclcpp::Node::Node;
  using rclcpp::Node::create_publisher;
  using rclcpp::Node::create_subscription;
  using rclcpp::Node::create_wall_timer;
  using rclcpp::Node::get_clock;
  using rclcpp::Node::get_node_base_interface;
  using rclcpp::Node::get_node_topics_interface;
};

}  // namespace rclcpp_lifecycle

#endif
