#include "rclcpp/qos.hpp"

#include <array>
#include <cstdio>
#include <cstring>

#include "libsaltus_qos.hpp"
#include "rclcpp/logging.hpp"
#include "rmw/error_handling.h"

namespace rclcpp
{

std::string qos_policy_name_from_kind(rmw_qos_policy_kind_t policy_kind)
{
  switch (policy_kind) {
    case RMW_QOS_POLICY_DURABILITY: return "DURABILITY_QOS_POLICY";
    case RMW_QOS_POLICY_DEADLINE: return "DEADLINE_QOS_POLICY";
    case RMW_QOS_POLICY_LIVELINESS: return "LIVELINESS_QOS_POLICY";
    case RMW_QOS_POLICY_RELIABILITY: return "RELIABILITY_QOS_POLICY";
    case RMW_QOS_POLICY_HISTORY: return "HISTORY_QOS_POLICY";
    case RMW_QOS_POLICY_LIFESPAN: return "LIFESPAN_QOS_POLICY";
    default: return "INVALID_QOS_POLICY";
  }
}

QoSInitialization::QoSInitialization(
  rmw_qos_history_policy_t history_policy_arg, size_t depth_arg, bool print_depth_warning)
: history_policy(history_policy_arg), depth(depth_arg)
{
  if (history_policy == RMW_QOS_POLICY_HISTORY_KEEP_LAST && depth == 0 && print_depth_warning) {
    RCLCPP_WARN_ONCE(get_logger("rclcpp"), "A zero depth with KEEP_LAST doesn't make sense; no data could be stored. "
      "This will be interpreted as SYSTEM_DEFAULT");
  }
}

QoSInitialization QoSInitialization::from_rmw(const rmw_qos_profile_t & rmw_qos)
{
  switch (rmw_qos.history) {
    case RMW_QOS_POLICY_HISTORY_KEEP_ALL:
      return KeepAll();
    case RMW_QOS_POLICY_HISTORY_SYSTEM_DEFAULT:
    case RMW_QOS_POLICY_HISTORY_UNKNOWN:
      return QoSInitialization(rmw_qos.history, rmw_qos.depth, false);
    default:
      return KeepLast(rmw_qos.depth, false);
  }
}

KeepAll::KeepAll()
: QoSInitialization(RMW_QOS_POLICY_HISTORY_KEEP_ALL, 0) {}

KeepLast::KeepLast(size_t depth_arg, bool print_depth_warning)
: QoSInitialization(RMW_QOS_POLICY_HISTORY_KEEP_LAST, depth_arg, print_depth_warning) {}

QoS::QoS(const QoSInitialization & qos_initialization, const rmw_qos_profile_t & initial_profile)
: rmw_qos_profile_(initial_profile)
{
  rmw_qos_profile_.history = qos_initialization.history_policy;
  rmw_qos_profile_.depth = qos_initialization.depth;
}

QoS::QoS(size_t history_depth)
: QoS(KeepLast(history_depth)) {}

QoS & QoS::history(HistoryPolicy history) {return this->history(static_cast<rmw_qos_history_policy_t>(history));}

QoS & QoS::history(rmw_qos_history_policy_t history)
{
  rmw_qos_profile_.history = history;
  return *this;
}

QoS & QoS::keep_last(size_t depth)
{
  if (depth == 0) {
    RCLCPP_WARN_ONCE(get_logger("rclcpp"), "A zero depth with KEEP_LAST doesn't make sense; no data could be stored. "
      "This will be interpreted as SYSTEM_DEFAULT");
  }
  rmw_qos_profile_.history = RMW_QOS_POLICY_HISTORY_KEEP_LAST;
  rmw_qos_profile_.depth = depth;
  return *this;
}

QoS & QoS::keep_all()
{
  rmw_qos_profile_.history = RMW_QOS_POLICY_HISTORY_KEEP_ALL;
  rmw_qos_profile_.depth = 0;
  return *this;
}

QoS & QoS::reliability(rmw_qos_reliability_policy_t reliability)
{
  rmw_qos_profile_.reliability = reliability;
  return *this;
}

QoS & QoS::reliability(ReliabilityPolicy reliability)
{
  return this->reliability(static_cast<rmw_qos_reliability_policy_t>(reliability));
}

QoS & QoS::reliable() {return reliability(RMW_QOS_POLICY_RELIABILITY_RELIABLE);}

QoS & QoS::best_effort() {return reliability(RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT);}

QoS & QoS::reliability_best_available() {return reliability(RMW_QOS_POLICY_RELIABILITY_BEST_AVAILABLE);}

QoS & QoS::durability(rmw_qos_durability_policy_t durability)
{
  rmw_qos_profile_.durability = durability;
  return *this;
}

QoS & QoS::durability(DurabilityPolicy durability)
{
  return this->durability(static_cast<rmw_qos_durability_policy_t>(durability));
}

QoS & QoS::durability_volatile() {return durability(RMW_QOS_POLICY_DURABILITY_VOLATILE);}

QoS & QoS::transient_local() {return durability(RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL);}

QoS & QoS::durability_best_available() {return durability(RMW_QOS_POLICY_DURABILITY_BEST_AVAILABLE);}

QoS & QoS::deadline(rmw_time_t deadline)
{
  rmw_qos_profile_.deadline = deadline;
  return *this;
}

QoS & QoS::deadline(const rclcpp::Duration & deadline) {return this->deadline(deadline.to_rmw_time());}

QoS & QoS::lifespan(rmw_time_t lifespan)
{
  rmw_qos_profile_.lifespan = lifespan;
  return *this;
}

QoS & QoS::lifespan(const rclcpp::Duration & lifespan) {return this->lifespan(lifespan.to_rmw_time());}

QoS & QoS::liveliness(rmw_qos_liveliness_policy_t liveliness)
{
  rmw_qos_profile_.liveliness = liveliness;
  return *this;
}

QoS & QoS::liveliness(LivelinessPolicy liveliness)
{
  return this->liveliness(static_cast<rmw_qos_liveliness_policy_t>(liveliness));
}

QoS & QoS::liveliness_lease_duration(rmw_time_t liveliness_lease_duration)
{
  rmw_qos_profile_.liveliness_lease_duration = liveliness_lease_duration;
  return *this;
}

QoS & QoS::liveliness_lease_duration(const rclcpp::Duration & liveliness_lease_duration)
{
  return this->liveliness_lease_duration(liveliness_lease_duration.to_rmw_time());
}

QoS & QoS::avoid_ros_namespace_conventions(bool avoid_ros_namespace_conventions)
{
  rmw_qos_profile_.avoid_ros_namespace_conventions = avoid_ros_namespace_conventions;
  return *this;
}

HistoryPolicy QoS::history() const {return static_cast<HistoryPolicy>(rmw_qos_profile_.history);}

size_t QoS::depth() const {return rmw_qos_profile_.depth;}

ReliabilityPolicy QoS::reliability() const {return static_cast<ReliabilityPolicy>(rmw_qos_profile_.reliability);}

DurabilityPolicy QoS::durability() const {return static_cast<DurabilityPolicy>(rmw_qos_profile_.durability);}

Duration QoS::deadline() const {return Duration::from_rmw_time(rmw_qos_profile_.deadline);}

Duration QoS::lifespan() const {return Duration::from_rmw_time(rmw_qos_profile_.lifespan);}

LivelinessPolicy QoS::liveliness() const {return static_cast<LivelinessPolicy>(rmw_qos_profile_.liveliness);}

Duration QoS::liveliness_lease_duration() const
{
  return Duration::from_rmw_time(rmw_qos_profile_.liveliness_lease_duration);
}

bool QoS::avoid_ros_namespace_conventions() const {return rmw_qos_profile_.avoid_ros_namespace_conventions;}

namespace
{

bool operator==(const rmw_time_t & left, const rmw_time_t & right)
{
  return left.sec == right.sec && left.nsec == right.nsec;
}

}  // namespace

bool operator==(const QoS & left, const QoS & right)
{
  const auto & a = left.get_rmw_qos_profile();
  const auto & b = right.get_rmw_qos_profile();
  return a.history == b.history && a.depth == b.depth && a.reliability == b.reliability &&
         a.durability == b.durability && a.deadline == b.deadline && a.lifespan == b.lifespan &&
         a.liveliness == b.liveliness && a.liveliness_lease_duration == b.liveliness_lease_duration &&
         a.avoid_ros_namespace_conventions == b.avoid_ros_namespace_conventions;
}

bool operator!=(const QoS & left, const QoS & right) {return !(left == right);}

ClockQoS::ClockQoS(const QoSInitialization & qos_initialization)
: QoS(qos_initialization)
{
  best_effort();
}

RosoutQoS::RosoutQoS(const QoSInitialization & rosout_qos_initialization)
: QoS(rosout_qos_initialization)
{
  transient_local();
  lifespan(Duration::from_seconds(10.0));
}

SystemDefaultsQoS::SystemDefaultsQoS(const QoSInitialization & qos_initialization)
: QoS(qos_initialization, rmw_qos_profile_system_default) {}

namespace detail
{
namespace
{

/// Returns nanoseconds, where 0 is no limit.
uint64_t nanoseconds_of(const rmw_time_t & time)
{
  const int64_t nanoseconds = Duration::from_rmw_time(time).nanoseconds();
  // ROS 2 writes infinite durations as its longest one.
  return nanoseconds == INT64_MAX ? 0 : static_cast<uint64_t>(nanoseconds);
}

rmw_time_t time_of(uint64_t nanoseconds)
{
  rmw_time_t time{};
  if (nanoseconds == 0) {
    time.sec = 9223372036u;
    time.nsec = 854775807u;
  } else {
    time.sec = nanoseconds / 1000000000u;
    time.nsec = nanoseconds % 1000000000u;
  }
  return time;
}

}  // namespace

saltus_qos_t to_saltus(const rmw_qos_profile_t & profile)
{
  saltus_qos_t qos;
  saltus_qos_init(&qos, sizeof qos);
  qos.history = static_cast<uint8_t>(profile.history);
  qos.reliability = static_cast<uint8_t>(profile.reliability);
  qos.durability = static_cast<uint8_t>(profile.durability);
  qos.liveliness = static_cast<uint8_t>(profile.liveliness);
  const bool is_default = profile.history == RMW_QOS_POLICY_HISTORY_KEEP_LAST && profile.depth == 0;
  // As in ROS 2, a depth of 0 means the default of the system.
  qos.depth = is_default ? 10u : static_cast<uint32_t>(profile.depth);
  qos.deadline = nanoseconds_of(profile.deadline);
  qos.lifespan = nanoseconds_of(profile.lifespan);
  qos.lease = nanoseconds_of(profile.liveliness_lease_duration);
  return qos;
}

rmw_qos_profile_t to_rmw(const saltus_qos_t & qos)
{
  rmw_qos_profile_t profile{};
  profile.history = static_cast<rmw_qos_history_policy_t>(qos.history);
  profile.depth = qos.depth;
  profile.reliability = static_cast<rmw_qos_reliability_policy_t>(qos.reliability);
  profile.durability = static_cast<rmw_qos_durability_policy_t>(qos.durability);
  profile.liveliness = static_cast<rmw_qos_liveliness_policy_t>(qos.liveliness);
  profile.deadline = time_of(qos.deadline);
  profile.lifespan = time_of(qos.lifespan);
  profile.liveliness_lease_duration = time_of(qos.lease);
  return profile;
}

}  // namespace detail
QoSCheckCompatibleResult qos_check_compatible(const QoS & publisher_qos, const QoS & subscription_qos)
{
  rmw_qos_compatibility_type_t compatibility = RMW_QOS_COMPATIBILITY_OK;
  std::array<char, 2048> reason{};
  const rmw_ret_t ret = rmw_qos_profile_check_compatible(
    publisher_qos.get_rmw_qos_profile(), subscription_qos.get_rmw_qos_profile(), &compatibility, reason.data(),
    reason.size());
  if (ret != RMW_RET_OK) {
    const std::string text = rmw_get_error_string().str;
    rmw_reset_error();
    throw exceptions::QoSCheckCompatibleException(text);
  }
  return {static_cast<QoSCompatibility>(compatibility), reason.data()};
}

}  // namespace rclcpp
