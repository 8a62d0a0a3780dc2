#ifndef RCLCPP__NODE_INTERFACES__NODE_GRAPH_INTERFACE_HPP_
#define RCLCPP__NODE_INTERFACES__NODE_GRAPH_INTERFACE_HPP_

#include <array>
#include <chrono>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "rclcpp/event.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/node_interfaces/detail/node_interfaces_helpers.hpp"
#include "rclcpp/qos.hpp"
#include "rclcpp/visibility_control.hpp"
#include "rmw/types.h"
#include "rosidl_runtime_c/type_hash.h"

namespace rclcpp
{

enum class EndpointType
{
  Invalid = RMW_ENDPOINT_INVALID,
  Publisher = RMW_ENDPOINT_PUBLISHER,
  Subscription = RMW_ENDPOINT_SUBSCRIPTION,
};

/// A publisher or subscription in the graph.
class RCLCPP_PUBLIC TopicEndpointInfo
{
public:
  TopicEndpointInfo(
    std::string node_name, std::string node_namespace, std::string topic_type, EndpointType endpoint_type,
    const std::array<uint8_t, RMW_GID_STORAGE_SIZE> & gid, const QoS & qos, const rosidl_type_hash_t & hash)
  : node_name_(std::move(node_name)), node_namespace_(std::move(node_namespace)), topic_type_(std::move(topic_type)),
    endpoint_type_(endpoint_type), endpoint_gid_(gid), qos_profile_(qos), topic_type_hash_(hash) {}

  std::string & node_name() {return node_name_;}
  const std::string & node_name() const {return node_name_;}
  std::string & node_namespace() {return node_namespace_;}
  const std::string & node_namespace() const {return node_namespace_;}
  std::string & topic_type() {return topic_type_;}
  const std::string & topic_type() const {return topic_type_;}
  rclcpp::EndpointType & endpoint_type() {return endpoint_type_;}
  const rclcpp::EndpointType & endpoint_type() const {return endpoint_type_;}
  std::array<uint8_t, RMW_GID_STORAGE_SIZE> & endpoint_gid() {return endpoint_gid_;}
  const std::array<uint8_t, RMW_GID_STORAGE_SIZE> & endpoint_gid() const {return endpoint_gid_;}
  rclcpp::QoS & qos_profile() {return qos_profile_;}
  const rclcpp::QoS & qos_profile() const {return qos_profile_;}
  rosidl_type_hash_t & topic_type_hash() {return topic_type_hash_;}
  const rosidl_type_hash_t & topic_type_hash() const {return topic_type_hash_;}

private:
  std::string node_name_;
  std::string node_namespace_;
  std::string topic_type_;
  rclcpp::EndpointType endpoint_type_;
  std::array<uint8_t, RMW_GID_STORAGE_SIZE> endpoint_gid_;
  rclcpp::QoS qos_profile_;
  rosidl_type_hash_t topic_type_hash_;
};

namespace node_interfaces
{

/// The graph, as the process of a node knows it.
class RCLCPP_PUBLIC NodeGraphInterface
{
public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(NodeGraphInterface)

  virtual ~NodeGraphInterface() = default;

  virtual std::map<std::string, std::vector<std::string>> get_topic_names_and_types(bool no_demangle = false) const = 0;
  virtual std::map<std::string, std::vector<std::string>> get_service_names_and_types() const = 0;
  virtual std::map<std::string, std::vector<std::string>> get_service_names_and_types_by_node(
    const std::string & node_name, const std::string & namespace_) const = 0;
  virtual std::map<std::string, std::vector<std::string>> get_client_names_and_types_by_node(
    const std::string & node_name, const std::string & namespace_) const = 0;
  virtual std::map<std::string, std::vector<std::string>> get_publisher_names_and_types_by_node(
    const std::string & node_name, const std::string & namespace_, bool no_demangle = false) const = 0;
  virtual std::map<std::string, std::vector<std::string>> get_subscriber_names_and_types_by_node(
    const std::string & node_name, const std::string & namespace_, bool no_demangle = false) const = 0;
  virtual std::vector<std::string> get_node_names() const = 0;
  virtual std::vector<std::tuple<std::string, std::string, std::string>> get_node_names_with_enclaves() const = 0;
  virtual std::vector<std::pair<std::string, std::string>> get_node_names_and_namespaces() const = 0;
  virtual size_t count_publishers(const std::string & topic_name) const = 0;
  virtual size_t count_subscribers(const std::string & topic_name) const = 0;
  virtual size_t count_clients(const std::string & service_name) const = 0;
  virtual size_t count_services(const std::string & service_name) const = 0;
  virtual rclcpp::Event::SharedPtr get_graph_event() = 0;
  virtual void wait_for_graph_change(rclcpp::Event::SharedPtr event, std::chrono::nanoseconds timeout) = 0;
  virtual std::vector<rclcpp::TopicEndpointInfo> get_publishers_info_by_topic(
    const std::string & topic_name, bool no_mangle = false) const = 0;
  virtual std::vector<rclcpp::TopicEndpointInfo> get_subscriptions_info_by_topic(
    const std::string & topic_name, bool no_mangle = false) const = 0;
};

}  // namespace node_interfaces
}  // namespace rclcpp

RCLCPP_NODE_INTERFACE_HELPERS_SUPPORT(rclcpp::node_interfaces::NodeGraphInterface, graph)

#endif  // RCLCPP__NODE_INTERFACES__NODE_GRAPH_INTERFACE_HPP_
