#ifndef RCLCPP__DETAIL__QOS_PARAMETERS_HPP_
#define RCLCPP__DETAIL__QOS_PARAMETERS_HPP_

#include <stdexcept>
#include <string>
#include <type_traits>

#include "rclcpp/detail/node_like.hpp"
#include "rclcpp/parameter_value.hpp"
#include "rclcpp/qos.hpp"
#include "rclcpp/qos_overriding_options.hpp"
#include "rclcpp/visibility_control.hpp"

namespace rclcpp::detail
{

/// Which endpoint a profile is for.
enum class QosEndpoint
{
  Publisher,
  Subscription,
};

/// A publisher has all policies.
struct PublisherQosParametersTraits
{
  static constexpr QosEndpoint ENDPOINT = QosEndpoint::Publisher;
};

/// A subscription has no lifespan.
struct SubscriptionQosParametersTraits
{
  static constexpr QosEndpoint ENDPOINT = QosEndpoint::Subscription;
};

/// Declares the parameters of a profile, and returns the profile with their values. Policies that the endpoint does not have are
/// left out.
/// \throws rclcpp::exceptions::InvalidQosOverridesException if a value is not valid, or refused
RCLCPP_PUBLIC rclcpp::QoS overridden_qos(
  const QosOverridingOptions & options, node_interfaces::NodeParametersInterface & parameters,
  const std::string & topic, const rclcpp::QoS & default_qos, QosEndpoint endpoint);

template<typename T, typename = void>
struct HasParameters : std::false_type {};
template<typename T>
struct HasParameters<T, std::void_t<decltype(std::declval<T &>().get_node_parameters_interface())>>: std::true_type {};

/// As overridden_qos(), with the parameters of a node.
/// \throws std::runtime_error if the options name policies, and the node has no parameters
template<typename NodeT, typename EntityQosParametersTraits>
rclcpp::QoS declare_qos_parameters(
  const QosOverridingOptions & options, NodeT & node, const std::string & topic_name, const rclcpp::QoS & default_qos,
  EntityQosParametersTraits)
{
  constexpr auto endpoint = EntityQosParametersTraits::ENDPOINT;
  auto & it = pointed(node);
  using Pointed = std::decay_t<decltype(it)>;
  if constexpr (std::is_base_of_v<node_interfaces::NodeParametersInterface, Pointed>) {
    return overridden_qos(options, it, topic_name, default_qos, endpoint);
  } else if constexpr (HasParameters<Pointed>::value) {
    return overridden_qos(options, *it.get_node_parameters_interface(), topic_name, default_qos, endpoint);
  } else if (options.get_policy_kinds().empty()) {
    return default_qos;
  } else {
    throw std::runtime_error("the options override QoS, and the node has no interface for parameters");
  }
}

/// Returns the value that the parameter of a policy has at first.
/// \throws std::invalid_argument if the policy is none, or its value has no name
RCLCPP_PUBLIC ParameterValue get_default_qos_param_value(QosPolicyKind policy, const QoS & qos);

/// Sets a policy to the value of its parameter.
/// \throws std::invalid_argument if the policy is none, or the value is not one of it
RCLCPP_PUBLIC void apply_qos_override(QosPolicyKind policy, ParameterValue value, QoS & qos);

/// Returns the name of a policy's value.
/// \throws std::invalid_argument if there is none
RCLCPP_PUBLIC const char * check_if_stringified_policy_is_null(const char * policy_value_stringified, QosPolicyKind kind);

}  // namespace rclcpp::detail

#endif  // RCLCPP__DETAIL__QOS_PARAMETERS_HPP_
