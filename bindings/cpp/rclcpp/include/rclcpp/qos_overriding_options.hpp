#ifndef RCLCPP__QOS_OVERRIDING_OPTIONS_HPP_
#define RCLCPP__QOS_OVERRIDING_OPTIONS_HPP_

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "rcl_interfaces/msg/detail/set_parameters_result__struct.hpp"
#include "rclcpp/qos.hpp"
#include "rclcpp/visibility_control.hpp"
#include "rmw/qos_policy_kind.h"

namespace rclcpp
{

enum class QosPolicyKind
{
  AvoidRosNamespaceConventions = RMW_QOS_POLICY_AVOID_ROS_NAMESPACE_CONVENTIONS,
  Deadline = RMW_QOS_POLICY_DEADLINE,
  Depth = RMW_QOS_POLICY_DEPTH,
  Durability = RMW_QOS_POLICY_DURABILITY,
  History = RMW_QOS_POLICY_HISTORY,
  Lifespan = RMW_QOS_POLICY_LIFESPAN,
  Liveliness = RMW_QOS_POLICY_LIVELINESS,
  LivelinessLeaseDuration = RMW_QOS_POLICY_LIVELINESS_LEASE_DURATION,
  Reliability = RMW_QOS_POLICY_RELIABILITY,
  Invalid = RMW_QOS_POLICY_INVALID,
};

/// Returns the name of a policy, as parameters have it.
RCLCPP_PUBLIC const char * qos_policy_kind_to_cstr(const QosPolicyKind & qpk);

using QosCallbackResult = rcl_interfaces::msg::SetParametersResult;
using QosCallback = std::function<QosCallbackResult(const rclcpp::QoS &)>;

/// Which policies of an endpoint users may set with the parameters `qos_overrides.<topic>.<publisher|subscription>.<policy>`.
class RCLCPP_PUBLIC QosOverridingOptions
{
public:
  QosOverridingOptions() = default;
  /// `validation_callback` checks the profile that results. `id` separates endpoints of one topic.
  QosOverridingOptions(
    std::initializer_list<QosPolicyKind> policy_kinds, QosCallback validation_callback = nullptr, std::string id = {});

  const std::string & get_id() const {return id_;}
  const std::vector<QosPolicyKind> & get_policy_kinds() const {return policy_kinds_;}
  const QosCallback & get_validation_callback() const {return validation_callback_;}
  /// History, depth and reliability.
  static QosOverridingOptions with_default_policies(QosCallback validation_callback = nullptr, std::string id = {});

private:
  std::string id_;
  std::vector<QosPolicyKind> policy_kinds_;
  QosCallback validation_callback_;
};

}  // namespace rclcpp

#endif  // RCLCPP__QOS_OVERRIDING_OPTIONS_HPP_
