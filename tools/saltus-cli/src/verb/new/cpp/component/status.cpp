// The component, which containers find by its name.
#include "status.hpp"

#include <chrono>
#include <string>

#include "rclcpp_components/register_node_macro.hpp"

namespace @name@
{

Status::Status(const rclcpp::NodeOptions & options)
: Node("@name@", options)
{
  rcl_interfaces::msg::ParameterDescriptor limits;
  limits.floating_point_range.resize(1);
  limits.floating_point_range[0].from_value = 0.1;
  limits.floating_point_range[0].to_value = 1000.0;
  const double rate = declare_parameter("rate", 2.0, limits);
  status_ = create_publisher<std_msgs::msg::String>("status", 10);
  timer_ = create_wall_timer(std::chrono::duration<double>(1.0 / rate), [this] {publish_status();});
}

void Status::publish_status()
{
  std_msgs::msg::String message;
  message.data = "step " + std::to_string(++count_);
  status_->publish(message);
}

}  // namespace @name@

RCLCPP_COMPONENTS_REGISTER_NODE(@name@::Status)
