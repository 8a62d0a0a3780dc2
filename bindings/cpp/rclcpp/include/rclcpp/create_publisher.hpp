#ifndef RCLCPP__CREATE_PUBLISHER_HPP_
#define RCLCPP__CREATE_PUBLISHER_HPP_

#include <memory>
#include <string>
#include <utility>

#include "rclcpp/detail/node_like.hpp"
#include "rclcpp/detail/owned.hpp"
#include "rclcpp/detail/qos_parameters.hpp"
#include "rclcpp/publisher.hpp"

namespace rclcpp
{
namespace detail
{

template<typename PublisherT, typename AllocatorT>
std::shared_ptr<PublisherT> create_publisher(
  node_interfaces::NodeBaseInterface * base, node_interfaces::NodeParametersInterface * parameters,
  const std::string & topic_name, const rclcpp::QoS & qos, const PublisherOptionsWithAllocator<AllocatorT> & options)
{
  rclcpp::QoS actual = qos;
  if (parameters != nullptr && !options.qos_overriding_options.get_policy_kinds().empty()) {
    actual = overridden_qos(
      options.qos_overriding_options, *parameters, base->resolve_topic_or_service_name(topic_name, false), qos,
      QosEndpoint::Publisher);
  }
  auto publisher = std::make_shared<PublisherT>(base, topic_name, actual, options);
  publisher->open();
  return owned(std::move(publisher));
}

}  // namespace detail

/// Creates a publisher of a node, which is given as a reference, a pointer, or its interface for topics.
template<
  typename MessageT, typename AllocatorT = std::allocator<void>,
  typename PublisherT = rclcpp::Publisher<MessageT, AllocatorT>, typename NodeT>
std::shared_ptr<PublisherT>
create_publisher(
  NodeT && node, const std::string & topic_name, const rclcpp::QoS & qos,
  const rclcpp::PublisherOptionsWithAllocator<AllocatorT> & options = {})
{
  node_interfaces::NodeBaseInterface * base = detail::base_of(node);
  return detail::create_publisher<PublisherT, AllocatorT>(base, detail::parameters_of(base), topic_name, qos, options);
}

/// As above, with the interface for parameters, which QoS overrides need.
template<
  typename MessageT, typename AllocatorT = std::allocator<void>,
  typename PublisherT = rclcpp::Publisher<MessageT, AllocatorT>>
std::shared_ptr<PublisherT>
create_publisher(
  rclcpp::node_interfaces::NodeParametersInterface::SharedPtr & node_parameters,
  rclcpp::node_interfaces::NodeTopicsInterface::SharedPtr & node_topics, const std::string & topic_name,
  const rclcpp::QoS & qos, const rclcpp::PublisherOptionsWithAllocator<AllocatorT> & options = {})
{
  return detail::create_publisher<PublisherT, AllocatorT>(
    node_topics->get_node_base_interface(), node_parameters.get(), topic_name, qos, options);
}

}  // namespace rclcpp

#endif  // RCLCPP__CREATE_PUBLISHER_HPP_
