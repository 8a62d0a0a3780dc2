#include "rmw/qos_string_conversions.h"

#include <array>
#include <cstring>

namespace
{

template<typename Value>
struct Name
{
  Value value;
  const char * text;
};

constexpr std::array<Name<rmw_qos_policy_kind_t>, 9> KINDS = {{
  {RMW_QOS_POLICY_DURABILITY, "durability"},
  {RMW_QOS_POLICY_DEADLINE, "deadline"},
  {RMW_QOS_POLICY_LIVELINESS, "liveliness"},
  {RMW_QOS_POLICY_RELIABILITY, "reliability"},
  {RMW_QOS_POLICY_HISTORY, "history"},
  {RMW_QOS_POLICY_LIFESPAN, "lifespan"},
  {RMW_QOS_POLICY_DEPTH, "depth"},
  {RMW_QOS_POLICY_LIVELINESS_LEASE_DURATION, "liveliness_lease_duration"},
  {RMW_QOS_POLICY_AVOID_ROS_NAMESPACE_CONVENTIONS, "avoid_ros_namespace_conventions"},
}};

constexpr std::array<Name<rmw_qos_durability_policy_t>, 4> DURABILITIES = {{
  {RMW_QOS_POLICY_DURABILITY_SYSTEM_DEFAULT, "system_default"},
  {RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL, "transient_local"},
  {RMW_QOS_POLICY_DURABILITY_VOLATILE, "volatile"},
  {RMW_QOS_POLICY_DURABILITY_BEST_AVAILABLE, "best_available"},
}};

constexpr std::array<Name<rmw_qos_history_policy_t>, 3> HISTORIES = {{
  {RMW_QOS_POLICY_HISTORY_SYSTEM_DEFAULT, "system_default"},
  {RMW_QOS_POLICY_HISTORY_KEEP_LAST, "keep_last"},
  {RMW_QOS_POLICY_HISTORY_KEEP_ALL, "keep_all"},
}};

constexpr std::array<Name<rmw_qos_liveliness_policy_t>, 4> LIVELINESSES = {{
  {RMW_QOS_POLICY_LIVELINESS_SYSTEM_DEFAULT, "system_default"},
  {RMW_QOS_POLICY_LIVELINESS_AUTOMATIC, "automatic"},
  {RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC, "manual_by_topic"},
  {RMW_QOS_POLICY_LIVELINESS_BEST_AVAILABLE, "best_available"},
}};

constexpr std::array<Name<rmw_qos_reliability_policy_t>, 4> RELIABILITIES = {{
  {RMW_QOS_POLICY_RELIABILITY_SYSTEM_DEFAULT, "system_default"},
  {RMW_QOS_POLICY_RELIABILITY_RELIABLE, "reliable"},
  {RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT, "best_effort"},
  {RMW_QOS_POLICY_RELIABILITY_BEST_AVAILABLE, "best_available"},
}};

template<typename Names, typename Value>
const char * text_of(const Names & names, Value value)
{
  for (const auto & name : names) {
    if (name.value == value) {
      return name.text;
    }
  }
  return nullptr;
}

template<typename Names, typename Value>
Value value_of(const Names & names, const char * text, Value otherwise)
{
  for (const auto & name : names) {
    if (text && std::strcmp(name.text, text) == 0) {
      return name.value;
    }
  }
  return otherwise;
}

}  // namespace

const char * rmw_qos_policy_kind_to_str(rmw_qos_policy_kind_t kind) {return text_of(KINDS, kind);}

const char * rmw_qos_durability_policy_to_str(rmw_qos_durability_policy_t value)
{
  return text_of(DURABILITIES, value);
}

const char * rmw_qos_history_policy_to_str(rmw_qos_history_policy_t value) {return text_of(HISTORIES, value);}

const char * rmw_qos_liveliness_policy_to_str(rmw_qos_liveliness_policy_t value)
{
  return text_of(LIVELINESSES, value);
}

const char * rmw_qos_reliability_policy_to_str(rmw_qos_reliability_policy_t value)
{
  return text_of(RELIABILITIES, value);
}

rmw_qos_policy_kind_t rmw_qos_policy_kind_from_str(const char * str)
{
  return value_of(KINDS, str, RMW_QOS_POLICY_INVALID);
}

rmw_qos_durability_policy_t rmw_qos_durability_policy_from_str(const char * str)
{
  return value_of(DURABILITIES, str, RMW_QOS_POLICY_DURABILITY_UNKNOWN);
}

rmw_qos_history_policy_t rmw_qos_history_policy_from_str(const char * str)
{
  return value_of(HISTORIES, str, RMW_QOS_POLICY_HISTORY_UNKNOWN);
}

rmw_qos_liveliness_policy_t rmw_qos_liveliness_policy_from_str(const char * str)
{
  return value_of(LIVELINESSES, str, RMW_QOS_POLICY_LIVELINESS_UNKNOWN);
}

rmw_qos_reliability_policy_t rmw_qos_reliability_policy_from_str(const char * str)
{
  return value_of(RELIABILITIES, str, RMW_QOS_POLICY_RELIABILITY_UNKNOWN);
}
