#ifndef RCLCPP_ACTION__QOS_HPP_
#define RCLCPP_ACTION__QOS_HPP_

#include "rclcpp/qos.hpp"
#include "rclcpp_action/visibility_control.hpp"

namespace rclcpp_action
{

/// The quality of service of the topic with the states of goals.
class DefaultActionStatusQoS : public rclcpp::QoS
{
public:
  RCLCPP_ACTION_PUBLIC DefaultActionStatusQoS();
};

}  // namespace rclcpp_action

#endif  // RCLCPP_ACTION__QOS_HPP_
