#ifndef RCLCPP__WAIT_FOR_MESSAGE_HPP_
#define RCLCPP__WAIT_FOR_MESSAGE_HPP_

#include <chrono>
#include <memory>
#include <string>

#include "rclcpp/node.hpp"
#include "rclcpp/wait_set.hpp"

namespace rclcpp
{

/// Waits for a message of a subscription. A negative timeout is none. Returns false after the timeout, or a shutdown.
template<class MsgT, class Rep = int64_t, class Period = std::milli>
bool wait_for_message(
  MsgT & out, std::shared_ptr<rclcpp::Subscription<MsgT>> subscription, std::shared_ptr<rclcpp::Context> context,
  std::chrono::duration<Rep, Period> time_to_wait = std::chrono::duration<Rep, Period>(-1))
{
  rclcpp::WaitSet wait_set({}, {}, {}, {}, {}, {}, context);
  // Only a message ends the wait.
  wait_set.add_subscription(subscription, {true, false, false});
  if (wait_set.wait(time_to_wait).kind() != WaitResultKind::Ready) {
    return false;
  }
  rclcpp::MessageInfo info;
  return subscription->take(out, info);
}

/// Waits for a message of a topic. The node may be in an executor.
template<class MsgT, class Rep = int64_t, class Period = std::milli>
bool wait_for_message(
  MsgT & out, rclcpp::Node::SharedPtr node, const std::string & topic,
  std::chrono::duration<Rep, Period> time_to_wait = std::chrono::duration<Rep, Period>(-1))
{
  rclcpp::SubscriptionOptions options;
  options.callback_group = node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive, false);
  auto subscription =
    node->create_subscription<MsgT>(topic, 1, [](const std::shared_ptr<const MsgT>) {}, options);
  return wait_for_message<MsgT, Rep, Period>(out, subscription, node->get_node_options().context(), time_to_wait);
}

}  // namespace rclcpp

#endif  // RCLCPP__WAIT_FOR_MESSAGE_HPP_
