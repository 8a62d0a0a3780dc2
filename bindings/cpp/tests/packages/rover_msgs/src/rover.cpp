// Publishes the state of a rover, and has a service that sets its mode.
#include <chrono>
#include <memory>

#include "rclcpp/rclcpp.hpp"
#include "rover_msgs/msg/rover.hpp"
#include "rover_msgs/srv/set_mode.hpp"

class RoverNode : public rclcpp::Node
{
public:
  RoverNode()
  : Node("rover")
  {
    state_.header.frame_id = "map";
    state_.wheels[0].side = rover_msgs::msg::Wheel::LEFT;
    state_.wheels[1].faults = {4, 5};
    state_.spare.resize(1);
    publisher_ = create_publisher<rover_msgs::msg::Rover>("state", 10);
    service_ = create_service<rover_msgs::srv::SetMode>(
      "set_mode", [this](
        const rover_msgs::srv::SetMode::Request::SharedPtr request,
        rover_msgs::srv::SetMode::Response::SharedPtr response) {
        response->accepted = true;
        response->previous = state_.mode;
        state_.mode = request->mode;
      });
    timer_ = create_wall_timer(
      std::chrono::milliseconds(100), [this] {
        state_.position.x += 1.0;
        publisher_->publish(state_);
      });
  }

private:
  rover_msgs::msg::Rover state_;
  rclcpp::Publisher<rover_msgs::msg::Rover>::SharedPtr publisher_;
  rclcpp::Service<rover_msgs::srv::SetMode>::SharedPtr service_;
  rclcpp::TimerBase::SharedPtr timer_;
};

int main(int argc, char * argv[])
{
  rclcpp::init(argc, argv);
  rclcpp::spin(std::make_shared<RoverNode>());
  rclcpp::shutdown();
  return 0;
}
