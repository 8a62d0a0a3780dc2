#ifndef RCLCPP__CREATE_GENERIC_PUBLISHER_HPP_
#define RCLCPP__CREATE_GENERIC_PUBLISHER_HPP_

#include <memory>
#include <string>

#include "rclcpp/detail/node_like.hpp"
#include "rclcpp/detail/owned.hpp"
#include "rclcpp/generic_publisher.hpp"

namespace rclcpp
{

/// Creates a publisher of a type that is given by its name, such as "std_msgs/msg/String".
template<typename AllocatorT = std::allocator<void>>
std::shared_ptr<GenericPublisher> create_generic_publisher(
  rclcpp::node_interfaces::NodeTopicsInterface::SharedPtr topics_interface, const std::string & topic_name,
  const std::string & topic_type, const rclcpp::QoS & qos,
  const PublisherOptionsWithAllocator<AllocatorT> & options = PublisherOptionsWithAllocator<AllocatorT>())
{
  auto publisher = std::make_shared<GenericPublisher>(
    topics_interface->get_node_base_interface(), get_typesupport_library(topic_type, "rosidl_typesupport_cpp"),
    topic_name, topic_type, qos, options);
  publisher->open();
  return detail::owned(std::move(publisher));
}

}  // namespace rclcpp

#endif  // RCLCPP__CREATE_GENERIC_PUBLISHER_HPP_
