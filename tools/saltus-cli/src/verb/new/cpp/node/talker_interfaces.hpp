// A node that publishes its status twice a second, as a message of its own type.
#ifndef TALKER_HPP_
#define TALKER_HPP_

#include <chrono>
#include <cstdint>

#include "@name@_msgs/msg/status.hpp"
#include "rclcpp/rclcpp.hpp"

/// Publishes to "status".
class Talker : public rclcpp::Node
{
public:
  Talker()
  : Node("@name@")
  {
    status_ = create_publisher<@name@_msgs::msg::Status>("status", 10);
    timer_ = create_wall_timer(std::chrono::milliseconds(500), [this] {publish_status();});
  }

private:
  void publish_status()
  {
    @name@_msgs::msg::Status message;
    message.header.stamp = now();
    message.count = ++count_;
    RCLCPP_INFO_STREAM(get_logger(), "publishing step " << message.count);
    status_->publish(message);
  }

  rclcpp::Publisher<@name@_msgs::msg::Status>::SharedPtr status_;
  rclcpp::TimerBase::SharedPtr timer_;
  uint64_t count_ = 0;
};

#endif  // TALKER_HPP_
