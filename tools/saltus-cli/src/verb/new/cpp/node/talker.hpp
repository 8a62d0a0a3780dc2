// A node that publishes its status twice a second.
#ifndef TALKER_HPP_
#define TALKER_HPP_

#include <chrono>
#include <cstdint>
#include <string>

#include "rclcpp/rclcpp.hpp"
#include "std_msgs/msg/string.hpp"

/// Publishes to "status".
class Talker : public rclcpp::Node
{
public:
  Talker()
  : Node("@name@")
  {
    status_ = create_publisher<std_msgs::msg::String>("status", 10);
    timer_ = create_wall_timer(std::chrono::milliseconds(500), [this] {publish_status();});
  }

private:
  void publish_status()
  {
    std_msgs::msg::String message;
    message.data = "step " + std::to_string(++count_);
    RCLCPP_INFO_STREAM(get_logger(), "publishing " << message.data);
    status_->publish(message);
  }

  rclcpp::Publisher<std_msgs::msg::String>::SharedPtr status_;
  rclcpp::TimerBase::SharedPtr timer_;
  uint64_t count_ = 0;
};

#endif  // TALKER_HPP_
