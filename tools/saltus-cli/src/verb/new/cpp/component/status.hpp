// A component that publishes its status.
#ifndef STATUS_HPP_
#define STATUS_HPP_

#include <cstdint>

#include "rclcpp/rclcpp.hpp"
#include "std_msgs/msg/string.hpp"

namespace @name@
{

/// Publishes to "status". The parameter "rate" is the number of messages per second.
class Status : public rclcpp::Node
{
public:
  explicit Status(const rclcpp::NodeOptions & options);

private:
  void publish_status();

  rclcpp::Publisher<std_msgs::msg::String>::SharedPtr status_;
  rclcpp::TimerBase::SharedPtr timer_;
  uint64_t count_ = 0;
};

}  // namespace @name@

#endif  // STATUS_HPP_
