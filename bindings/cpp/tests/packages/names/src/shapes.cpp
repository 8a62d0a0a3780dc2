// Plugins and a component, as packages define them.
#include "class_loader/class_loader.hpp"
#include "pluginlib/class_list_macros.hpp"
#include "rclcpp_components/register_node_macro.hpp"
#include "shape.hpp"

namespace shapes
{

class Square : public Shape
{
public:
  int sides() const override {return 4;}
};

class Triangle : public Shape
{
public:
  int sides() const override {return 3;}
};

/// A component.
class Sensor : public rclcpp::Node
{
public:
  explicit Sensor(const rclcpp::NodeOptions & options)
  : Node("sensor", options), publisher_(create_publisher<std_msgs::msg::String>("reading", 10)) {}

private:
  rclcpp::Publisher<std_msgs::msg::String>::SharedPtr publisher_;
};

}  // namespace shapes

PLUGINLIB_EXPORT_CLASS(shapes::Square, shapes::Shape)
CLASS_LOADER_REGISTER_CLASS(shapes::Triangle, shapes::Shape)
RCLCPP_COMPONENTS_REGISTER_NODE(shapes::Sensor)
