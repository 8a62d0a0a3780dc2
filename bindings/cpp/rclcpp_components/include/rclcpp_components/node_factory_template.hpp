#ifndef RCLCPP_COMPONENTS__NODE_FACTORY_TEMPLATE_HPP_
#define RCLCPP_COMPONENTS__NODE_FACTORY_TEMPLATE_HPP_

#include <memory>

#include "rclcpp_components/node_factory.hpp"

namespace rclcpp_components
{

/// Makes components of the class `NodeT`. It needs a constructor with options, and get_node_base_interface().
///
/// It need not be a node: a class that has one will do.
template<typename NodeT>
class NodeFactoryTemplate : public NodeFactory
{
public:
  NodeInstanceWrapper create_node_instance(const rclcpp::NodeOptions & options) override
  {
    return NodeInstanceWrapper(
      std::make_shared<NodeT>(options),
      [](const std::shared_ptr<void> & instance) {
        return std::static_pointer_cast<NodeT>(instance)->get_node_base_interface();
      });
  }
};

}  // namespace rclcpp_components

#endif  // RCLCPP_COMPONENTS__NODE_FACTORY_TEMPLATE_HPP_
