#include <algorithm>

#include "rclcpp/node_interfaces/node_parameters_interface.hpp"
#include "rclcpp/qos_overriding_options.hpp"

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

/// Declares the parameters of an endpoint's policies.
struct Declarer
{
  node_interfaces::NodeParametersInterface & parameters;
  std::string prefix;

  ParameterValue value(QosPolicyKind kind, const ParameterValue & default_value) const
  {
    const std::string name = prefix + qos_policy_kind_to_cstr(kind);
    if (parameters.has_parameter(name)) {
      return parameters.get_parameter(name).get_parameter_value();
    }
    rcl_interfaces::msg::ParameterDescriptor descriptor;
    descriptor.read_only = true;
    descriptor.description = "A policy of the quality of service";
    return parameters.declare_parameter(name, default_value, descriptor);
  }

  int word(QosPolicyKind kind, const Words & words, int default_number) const
  {
    const auto is_default = [&](const auto & one) {return one.second == default_number;};
    const auto known = std::find_if(words.begin(), words.end(), is_default);
    const std::string given =
      value(kind, ParameterValue(known == words.end() ? "unknown" : known->first)).get<std::string>();
    const auto is_given = [&](const auto & one) {return given == one.first;};
    const auto found = std::find_if(words.begin(), words.end(), is_given);
    if (found == words.end()) {
      throw exceptions::InvalidQosOverridesException(
              "the parameter '" + prefix + qos_policy_kind_to_cstr(kind) + "' has the unknown value '" + given + "'");
    }
    return found->second;
  }

  Duration duration(QosPolicyKind kind, const Duration & default_value) const
  {
    return Duration::from_nanoseconds(value(kind, ParameterValue(default_value.nanoseconds())).get<int64_t>());
  }
};

void apply(const Declarer & declarer, QosPolicyKind kind, QoS & qos)
{
  rmw_qos_profile_t & profile = qos.get_rmw_qos_profile();
  switch (kind) {
    case QosPolicyKind::AvoidRosNamespaceConventions:
      qos.avoid_ros_namespace_conventions(
        declarer.value(kind, ParameterValue(qos.avoid_ros_namespace_conventions())).get<bool>());
      return;
    case QosPolicyKind::Deadline:
      qos.deadline(declarer.duration(kind, qos.deadline()));
      return;
    case QosPolicyKind::Depth:
      profile.depth = static_cast<size_t>(
        declarer.value(kind, ParameterValue(static_cast<int64_t>(qos.depth()))).get<int64_t>());
      return;
    case QosPolicyKind::Durability:
      profile.durability =
        static_cast<rmw_qos_durability_policy_t>(declarer.word(kind, DURABILITY, profile.durability));
      return;
    case QosPolicyKind::History:
      profile.history = static_cast<rmw_qos_history_policy_t>(declarer.word(kind, HISTORY, profile.history));
      return;
    case QosPolicyKind::Lifespan:
      qos.lifespan(declarer.duration(kind, qos.lifespan()));
      return;
    case QosPolicyKind::Liveliness:
      profile.liveliness =
        static_cast<rmw_qos_liveliness_policy_t>(declarer.word(kind, LIVELINESS, profile.liveliness));
      return;
    case QosPolicyKind::LivelinessLeaseDuration:
      qos.liveliness_lease_duration(declarer.duration(kind, qos.liveliness_lease_duration()));
      return;
    case QosPolicyKind::Reliability:
      profile.reliability =
        static_cast<rmw_qos_reliability_policy_t>(declarer.word(kind, RELIABILITY, profile.reliability));
      return;
    default:
      throw std::invalid_argument{"unknown QoS policy kind"};
  }
}

}  // namespace

QoS overridden_qos(
  const QosOverridingOptions & options, node_interfaces::NodeParametersInterface & parameters,
  const std::string & topic, const QoS & default_qos, const char * endpoint)
{
  const std::string id = options.get_id().empty() ? "" : "_" + options.get_id();
  const Declarer declarer{parameters, "qos_overrides." + topic + "." + endpoint + id + "."};
  QoS qos = default_qos;
  for (const QosPolicyKind kind : options.get_policy_kinds()) {
    apply(declarer, kind, qos);
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
