// Two components.
#include <memory>

#include "rclcpp/rclcpp.hpp"
#include "rclcpp_components/register_node_macro.hpp"
#include "std_msgs/msg/int32.hpp"

namespace talk
{

/// Counts ten times per second.
class Counter : public rclcpp::Node
{
public:
  explicit Counter(const rclcpp::NodeOptions & options)
  : Node("counter", options), publisher_(create_publisher<std_msgs::msg::Int32>("count", 10))
  {
    timer_ = create_wall_timer(
      std::chrono::milliseconds(100), [this] {
        std_msgs::msg::Int32 message;
        message.data = count_++;
        publisher_->publish(message);
      });
  }

private:
  rclcpp::Publisher<std_msgs::msg::Int32>::SharedPtr publisher_;
  rclcpp::TimerBase::SharedPtr timer_;
  int32_t count_ = 0;
};

/// Has a node, and is none.
class Other
{
public:
  explicit Other(const rclcpp::NodeOptions & options)
  : node_(std::make_shared<rclcpp::Node>("other", options)) {}

  rclcpp::node_interfaces::NodeBaseInterface::SharedPtr get_node_base_interface() const
  {
    return node_->get_node_base_interface();
  }

private:
  rclcpp::Node::SharedPtr node_;
};

}  // namespace talk

RCLCPP_COMPONENTS_REGISTER_NODE(talk::Counter)
RCLCPP_COMPONENTS_REGISTER_NODE(talk::Other)
