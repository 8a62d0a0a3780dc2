#ifndef RCLCPP__CREATE_GENERIC_SUBSCRIPTION_HPP_
#define RCLCPP__CREATE_GENERIC_SUBSCRIPTION_HPP_

#include <memory>
#include <string>
#include <utility>

#include "rclcpp/detail/node_like.hpp"
#include "rclcpp/detail/owned.hpp"
#include "rclcpp/generic_subscription.hpp"

namespace rclcpp
{

/// Creates a subscription to a type that is given by its name, such as "std_msgs/msg/String". The callback takes a
/// SerializedMessage in one of the forms that a message can have.
template<typename CallbackT, typename AllocatorT = std::allocator<void>>
std::shared_ptr<GenericSubscription> create_generic_subscription(
  rclcpp::node_interfaces::NodeTopicsInterface::SharedPtr topics_interface, const std::string & topic_name,
  const std::string & topic_type, const rclcpp::QoS & qos, CallbackT && callback,
  const SubscriptionOptionsWithAllocator<AllocatorT> & options = SubscriptionOptionsWithAllocator<AllocatorT>())
{
  AnySubscriptionCallback<SerializedMessage> any_callback;
  any_callback.set(std::forward<CallbackT>(callback));
  auto subscription = std::make_shared<GenericSubscription>(
    topics_interface->get_node_base_interface(), get_typesupport_library(topic_type, "rosidl_typesupport_cpp"),
    topic_name, topic_type, qos, std::move(any_callback), options);
  subscription->open();
  return detail::owned(std::move(subscription));
}

}  // namespace rclcpp

#endif  // RCLCPP__CREATE_GENERIC_SUBSCRIPTION_HPP_
