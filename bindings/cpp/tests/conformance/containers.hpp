// The containers of the subject. A command of the suite creates one.
#ifndef CONTAINERS_HPP_
#define CONTAINERS_HPP_

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "rclcpp/rclcpp.hpp"
#include "rclcpp_components/component_manager.hpp"
#include "rclcpp_components/node_factory_template.hpp"
#include "std_msgs/msg/u_int64.hpp"

/// Publishes its parameter `factor` for late subscriptions.
class Factor : public rclcpp::Node
{
public:
  explicit Factor(const rclcpp::NodeOptions & options)
  : Node("factor", options)
  {
    std_msgs::msg::UInt64 factor;
    factor.data = static_cast<uint64_t>(declare_parameter("factor", 2));
    factors_ = create_publisher<std_msgs::msg::UInt64>("factor", rclcpp::QoS(1).transient_local());
    factors_->publish(factor);
  }

private:
  rclcpp::Publisher<std_msgs::msg::UInt64>::SharedPtr factors_;
};

/// Can't be created.
class Faulty : public rclcpp::Node
{
public:
  explicit Faulty(const rclcpp::NodeOptions & options)
  : Node("faulty", options) {throw std::runtime_error("the device is missing");}
};

/// A container whose components are in the program.
class Container : public rclcpp_components::ComponentManager
{
public:
  using ComponentManager::ComponentManager;

  std::vector<ComponentResource> get_component_resources(
    const std::string & package_name, const std::string & resource_index) const override
  {
    if (package_name != "suite") {
      return ComponentManager::get_component_resources(package_name, resource_index);
    }
    return {{"suite::Factor", ""}, {"suite::Faulty", ""}};
  }

  std::shared_ptr<rclcpp_components::NodeFactory> create_component_factory(const ComponentResource & resource) override
  {
    if (resource.first == "suite::Factor") {
      return std::make_shared<rclcpp_components::NodeFactoryTemplate<Factor>>();
    }
    return std::make_shared<rclcpp_components::NodeFactoryTemplate<Faulty>>();
  }
};

#endif  // CONTAINERS_HPP_
