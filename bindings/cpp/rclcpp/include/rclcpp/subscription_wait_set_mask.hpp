#ifndef RCLCPP__SUBSCRIPTION_WAIT_SET_MASK_HPP_
#define RCLCPP__SUBSCRIPTION_WAIT_SET_MASK_HPP_

#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{

/// Which parts of a subscription are in a wait set. Its events are waitables. It has no part for messages within the process.
class RCLCPP_PUBLIC SubscriptionWaitSetMask
{
public:
  bool include_subscription = true;
  bool include_events = true;
  bool include_intra_process_waitable = true;
};

}  // namespace rclcpp

#endif  // RCLCPP__SUBSCRIPTION_WAIT_SET_MASK_HPP_
