// A node with a service that adds two numbers.
#ifndef ADD_SERVER_HPP_
#define ADD_SERVER_HPP_

#include "example_interfaces/srv/add_two_ints.hpp"
#include "rclcpp/rclcpp.hpp"

/// Serves "add_two_ints".
class AddServer : public rclcpp::Node
{
public:
  using AddTwoInts = example_interfaces::srv::AddTwoInts;

  AddServer()
  : Node("@name@")
  {
    service_ = create_service<AddTwoInts>(
      "add_two_ints",
      [this](const AddTwoInts::Request::SharedPtr request, AddTwoInts::Response::SharedPtr response) {
        RCLCPP_INFO_STREAM(get_logger(), "adding " << request->a << " and " << request->b);
        response->sum = request->a + request->b;
      });
  }

private:
  rclcpp::Service<AddTwoInts>::SharedPtr service_;
};

#endif  // ADD_SERVER_HPP_
