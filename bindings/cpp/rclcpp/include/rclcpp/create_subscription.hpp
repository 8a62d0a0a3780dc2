#ifndef RCLCPP__CREATE_SUBSCRIPTION_HPP_
#define RCLCPP__CREATE_SUBSCRIPTION_HPP_

#include <memory>
#include <string>
#include <utility>

#include "rclcpp/detail/node_like.hpp"
#include "rclcpp/detail/owned.hpp"
#include "rclcpp/detail/qos_parameters.hpp"
#include "rclcpp/detail/resolve_enable_topic_statistics.hpp"
#include "rclcpp/subscription.hpp"

namespace rclcpp
{
namespace detail
{

template<typename MessageT, typename SubscriptionT, typename AllocatorT, typename CallbackT>
std::shared_ptr<SubscriptionT> create_subscription(
  node_interfaces::NodeBaseInterface * base, node_interfaces::NodeParametersInterface * parameters,
  const std::string & topic_name, const rclcpp::QoS & qos, CallbackT && callback,
  const SubscriptionOptionsWithAllocator<AllocatorT> & options)
{
  AnySubscriptionCallback<MessageT, AllocatorT> any_callback;
  any_callback.set(std::forward<CallbackT>(callback));
  rclcpp::QoS actual = qos;
  if (parameters != nullptr && !options.qos_overriding_options.get_policy_kinds().empty()) {
    actual = overridden_qos(
      options.qos_overriding_options, *parameters, base->resolve_topic_or_service_name(topic_name, false), qos,
      QosEndpoint::Subscription);
  }
  auto subscription = std::make_shared<SubscriptionT>(
    base, *get_message_type_support_handle<MessageT>(), topic_name, actual, std::move(any_callback), options);
  subscription->open();
  return owned(std::move(subscription));
}

}  // namespace detail

/// Creates a subscription of a node, which is given as a reference, a pointer, or its interface for topics.
template<
  typename MessageT, typename CallbackT, typename AllocatorT = std::allocator<void>,
  typename SubscriptionT = rclcpp::Subscription<MessageT, AllocatorT>,
  typename MessageMemoryStrategyT = typename SubscriptionT::MessageMemoryStrategyType, typename NodeT>
typename std::shared_ptr<SubscriptionT>
create_subscription(
  NodeT && node, const std::string & topic_name, const rclcpp::QoS & qos, CallbackT && callback,
  const rclcpp::SubscriptionOptionsWithAllocator<AllocatorT> & options = {},
  typename MessageMemoryStrategyT::SharedPtr = nullptr)
{
  node_interfaces::NodeBaseInterface * base = detail::base_of(node);
  return detail::create_subscription<MessageT, SubscriptionT, AllocatorT>(
    base, detail::parameters_of(base), topic_name, qos, std::forward<CallbackT>(callback), options);
}

/// As above, with the interface for parameters, which QoS overrides need.
template<
  typename MessageT, typename CallbackT, typename AllocatorT = std::allocator<void>,
  typename SubscriptionT = rclcpp::Subscription<MessageT, AllocatorT>,
  typename MessageMemoryStrategyT = typename SubscriptionT::MessageMemoryStrategyType>
typename std::shared_ptr<SubscriptionT>
create_subscription(
  rclcpp::node_interfaces::NodeParametersInterface::SharedPtr & node_parameters,
  rclcpp::node_interfaces::NodeTopicsInterface::SharedPtr & node_topics, const std::string & topic_name,
  const rclcpp::QoS & qos, CallbackT && callback,
  const rclcpp::SubscriptionOptionsWithAllocator<AllocatorT> & options = {},
  typename MessageMemoryStrategyT::SharedPtr = nullptr)
{
  return detail::create_subscription<MessageT, SubscriptionT, AllocatorT>(
    node_topics->get_node_base_interface(), node_parameters.get(), topic_name, qos, std::forward<CallbackT>(callback),
    options);
}

}  // namespace rclcpp

#endif  // RCLCPP__CREATE_SUBSCRIPTION_HPP_
