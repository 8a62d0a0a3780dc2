#include <algorithm>

#include "rclcpp/detail/qos_parameters.hpp"
#include "rclcpp/node_interfaces/node_parameters_interface.hpp"

namespace rclcpp
{

const char * qos_policy_kind_to_cstr(const QosPolicyKind & qpk)
{
  switch (qpk) {
    case QosPolicyKind::AvoidRosNamespaceConventions: return "avoid_ros_namespace_conventions";
    case QosPolicyKind::Deadline: return "deadline";
    case QosPolicyKind::Depth: return "depth";
    case QosPolicyKind::Durability: return "durability";
    case QosPolicyKind::History: return "history";
    case QosPolicyKind::Lifespan: return "lifespan";
    case QosPolicyKind::Liveliness: return "liveliness";
    case QosPolicyKind::LivelinessLeaseDuration: return "liveliness_lease_duration";
    case QosPolicyKind::Reliability: return "reliability";
    default: throw std::invalid_argument{"unknown QoS policy kind"};
  }
}

QosOverridingOptions::QosOverridingOptions(
  std::initializer_list<QosPolicyKind> policy_kinds, QosCallback validation_callback, std::string id)
: id_(std::move(id)), policy_kinds_(policy_kinds), validation_callback_(std::move(validation_callback)) {}

QosOverridingOptions QosOverridingOptions::with_default_policies(QosCallback validation_callback, std::string id)
{
  return QosOverridingOptions(
    {QosPolicyKind::History, QosPolicyKind::Depth, QosPolicyKind::Reliability}, std::move(validation_callback),
    std::move(id));
}

namespace detail
{
namespace
{

/// The words of a policy, each with its number.
using Words = std::vector<std::pair<const char *, int>>;

const Words HISTORY = {
  {"keep_last", RMW_QOS_POLICY_HISTORY_KEEP_LAST}, {"keep_all", RMW_QOS_POLICY_HISTORY_KEEP_ALL},
  {"system_default", RMW_QOS_POLICY_HISTORY_SYSTEM_DEFAULT}};
const Words RELIABILITY = {
  {"reliable", RMW_QOS_POLICY_RELIABILITY_RELIABLE}, {"best_effort", RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT},
  {"system_default", RMW_QOS_POLICY_RELIABILITY_SYSTEM_DEFAULT},
  {"best_available", RMW_QOS_POLICY_RELIABILITY_BEST_AVAILABLE}};
const Words DURABILITY = {
  {"volatile", RMW_QOS_POLICY_DURABILITY_VOLATILE}, {"transient_local", RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL},
  {"system_default", RMW_QOS_POLICY_DURABILITY_SYSTEM_DEFAULT},
  {"best_available", RMW_QOS_POLICY_DURABILITY_BEST_AVAILABLE}};
const Words LIVELINESS = {
  {"automatic", RMW_QOS_POLICY_LIVELINESS_AUTOMATIC}, {"manual_by_topic", RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC},
  {"system_default", RMW_QOS_POLICY_LIVELINESS_SYSTEM_DEFAULT},
  {"best_available", RMW_QOS_POLICY_LIVELINESS_BEST_AVAILABLE}};

/// Returns the name of a number, or null.
const char * name_in(const Words & words, int number)
{
  const auto is_it = [&](const auto & one) {return one.second == number;};
  const auto found = std::find_if(words.begin(), words.end(), is_it);
  return found == words.end() ? nullptr : found->first;
}

ParameterValue named(QosPolicyKind policy, const Words & words, int number)
{
  return ParameterValue(check_if_stringified_policy_is_null(name_in(words, number), policy));
}

/// Returns the number of a name.
template<typename Policy>
Policy number_of(QosPolicyKind policy, const Words & words, const ParameterValue & value)
{
  const std::string name = value.get<std::string>();
  const auto is_it = [&](const auto & one) {return name == one.first;};
  const auto found = std::find_if(words.begin(), words.end(), is_it);
  if (found == words.end()) {
    throw std::invalid_argument(
            "unknown value '" + name + "' of the policy '" + qos_policy_kind_to_cstr(policy) + "'");
  }
  return static_cast<Policy>(found->second);
}

Duration duration_of(const ParameterValue & value) {return Duration::from_nanoseconds(value.get<int64_t>());}

/// Declares the parameter of a policy unless it is declared, and returns its value.
ParameterValue declared(
  node_interfaces::NodeParametersInterface & parameters, const std::string & name, const ParameterValue & default_value)
{
  if (parameters.has_parameter(name)) {
    return parameters.get_parameter(name).get_parameter_value();
  }
  rcl_interfaces::msg::ParameterDescriptor descriptor;
  descriptor.read_only = true;
  descriptor.description = "A policy of the quality of service";
  return parameters.declare_parameter(name, default_value, descriptor);
}

}  // namespace

const char * check_if_stringified_policy_is_null(const char * policy_value_stringified, QosPolicyKind kind)
{
  if (policy_value_stringified == nullptr) {
    throw std::invalid_argument(std::string("unknown value of the policy '") + qos_policy_kind_to_cstr(kind) + "'");
  }
  return policy_value_stringified;
}

ParameterValue get_default_qos_param_value(QosPolicyKind policy, const QoS & qos)
{
  const rmw_qos_profile_t & profile = qos.get_rmw_qos_profile();
  switch (policy) {
    case QosPolicyKind::AvoidRosNamespaceConventions: return ParameterValue(qos.avoid_ros_namespace_conventions());
    case QosPolicyKind::Deadline: return ParameterValue(qos.deadline().nanoseconds());
    case QosPolicyKind::Depth: return ParameterValue(static_cast<int64_t>(qos.depth()));
    case QosPolicyKind::Durability: return named(policy, DURABILITY, profile.durability);
    case QosPolicyKind::History: return named(policy, HISTORY, profile.history);
    case QosPolicyKind::Lifespan: return ParameterValue(qos.lifespan().nanoseconds());
    case QosPolicyKind::Liveliness: return named(policy, LIVELINESS, profile.liveliness);
    case QosPolicyKind::LivelinessLeaseDuration: return ParameterValue(qos.liveliness_lease_duration().nanoseconds());
    case QosPolicyKind::Reliability: return named(policy, RELIABILITY, profile.reliability);
    default: throw std::invalid_argument{"unknown QoS policy kind"};
  }
}

void apply_qos_override(QosPolicyKind policy, ParameterValue value, QoS & qos)
{
  rmw_qos_profile_t & profile = qos.get_rmw_qos_profile();
  switch (policy) {
    case QosPolicyKind::AvoidRosNamespaceConventions:
      qos.avoid_ros_namespace_conventions(value.get<bool>());
      return;
    case QosPolicyKind::Deadline:
      qos.deadline(duration_of(value));
      return;
    case QosPolicyKind::Depth:
      profile.depth = static_cast<size_t>(value.get<int64_t>());
      return;
    case QosPolicyKind::Durability:
      profile.durability = number_of<rmw_qos_durability_policy_t>(policy, DURABILITY, value);
      return;
    case QosPolicyKind::History:
      profile.history = number_of<rmw_qos_history_policy_t>(policy, HISTORY, value);
      return;
    case QosPolicyKind::Lifespan:
      qos.lifespan(duration_of(value));
      return;
    case QosPolicyKind::Liveliness:
      profile.liveliness = number_of<rmw_qos_liveliness_policy_t>(policy, LIVELINESS, value);
      return;
    case QosPolicyKind::LivelinessLeaseDuration:
      qos.liveliness_lease_duration(duration_of(value));
      return;
    case QosPolicyKind::Reliability:
      profile.reliability = number_of<rmw_qos_reliability_policy_t>(policy, RELIABILITY, value);
      return;
    default:
      throw std::invalid_argument{"unknown QoS policy kind"};
  }
}

QoS overridden_qos(
  const QosOverridingOptions & options, node_interfaces::NodeParametersInterface & parameters,
  const std::string & topic, const QoS & default_qos, QosEndpoint endpoint)
{
  const std::string id = options.get_id().empty() ? "" : "_" + options.get_id();
  const char * kind = endpoint == QosEndpoint::Publisher ? "publisher" : "subscription";
  const std::string prefix = "qos_overrides." + topic + "." + kind + id + ".";
  QoS qos = default_qos;
  for (const QosPolicyKind policy : options.get_policy_kinds()) {
    if (policy == QosPolicyKind::Lifespan && endpoint == QosEndpoint::Subscription) {
      continue;
    }
    const std::string name = prefix + qos_policy_kind_to_cstr(policy);
    try {
      apply_qos_override(policy, declared(parameters, name, get_default_qos_param_value(policy, qos)), qos);
    } catch (const std::invalid_argument & error) {
      throw exceptions::InvalidQosOverridesException("the parameter '" + name + "': " + error.what());
    }
  }
  if (const auto & validate = options.get_validation_callback()) {
    const auto result = validate(qos);
    if (!result.successful) {
      throw exceptions::InvalidQosOverridesException("validation callback failed: " + result.reason);
    }
  }
  return qos;
}

}  // namespace detail
}  // namespace rclcpp
