// A library with a component that has an entity of each kind with a callback, and an object of static storage.
#include <map>
#include <string>

#include "example_interfaces/srv/add_two_ints.hpp"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_components/register_node_macro.hpp"
#include "std_msgs/msg/u_int64.hpp"

namespace part
{

using AddTwoInts = example_interfaces::srv::AddTwoInts;
using Number = std_msgs::msg::UInt64;

const std::map<std::string, int> & names()
{
  static const std::map<std::string, int> all{{"one", 1}, {"two", 2}};
  return all;
}

class Part : public rclcpp::Node
{
public:
  explicit Part(const rclcpp::NodeOptions & options)
  : Node("part", options),
    numbers_(create_publisher<Number>("part/numbers", 10)),
    echoes_(create_subscription<Number>("part/numbers", 10, [this](const Number & number) {received_ = number.data;})),
    add_(
      create_service<AddTwoInts>(
        "part/add", [](const AddTwoInts::Request::SharedPtr request, AddTwoInts::Response::SharedPtr response) {
          response->sum = request->a + request->b;
        })),
    timer_(create_wall_timer(std::chrono::milliseconds(1), [this] {publish();})),
    callback_(
      add_on_set_parameters_callback(
        [](const std::vector<rclcpp::Parameter> &) {
          rcl_interfaces::msg::SetParametersResult result;
          result.successful = true;
          return result;
        }))
  {
    declare_parameter("step", names().at("one"));
  }

private:
  void publish()
  {
    Number number;
    number.data = received_ + static_cast<uint64_t>(get_parameter("step").as_int());
    numbers_->publish(number);
  }

  uint64_t received_ = 0;
  rclcpp::Publisher<Number>::SharedPtr numbers_;
  rclcpp::Subscription<Number>::SharedPtr echoes_;
  rclcpp::Service<AddTwoInts>::SharedPtr add_;
  rclcpp::TimerBase::SharedPtr timer_;
  OnSetParametersCallbackHandle::SharedPtr callback_;
};

}  // namespace part

RCLCPP_COMPONENTS_REGISTER_NODE(part::Part)
