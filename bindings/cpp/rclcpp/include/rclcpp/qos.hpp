#ifndef RCLCPP__QOS_HPP_
#define RCLCPP__QOS_HPP_

#include <string>

#include "rcl/logging_rosout.h"
#include "rclcpp/duration.hpp"
#include "rclcpp/exceptions.hpp"
#include "rclcpp/visibility_control.hpp"
#include "rmw/incompatible_qos_events_statuses.h"
#include "rmw/qos_profiles.h"
#include "rmw/types.h"

namespace rclcpp
{

RCLCPP_PUBLIC std::string qos_policy_name_from_kind(rmw_qos_policy_kind_t policy_kind);

enum class HistoryPolicy
{
  KeepLast = RMW_QOS_POLICY_HISTORY_KEEP_LAST,
  KeepAll = RMW_QOS_POLICY_HISTORY_KEEP_ALL,
  SystemDefault = RMW_QOS_POLICY_HISTORY_SYSTEM_DEFAULT,
  Unknown = RMW_QOS_POLICY_HISTORY_UNKNOWN,
};

enum class ReliabilityPolicy
{
  BestEffort = RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT,
  Reliable = RMW_QOS_POLICY_RELIABILITY_RELIABLE,
  SystemDefault = RMW_QOS_POLICY_RELIABILITY_SYSTEM_DEFAULT,
  BestAvailable = RMW_QOS_POLICY_RELIABILITY_BEST_AVAILABLE,
  Unknown = RMW_QOS_POLICY_RELIABILITY_UNKNOWN,
};

enum class DurabilityPolicy
{
  Volatile = RMW_QOS_POLICY_DURABILITY_VOLATILE,
  TransientLocal = RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL,
  SystemDefault = RMW_QOS_POLICY_DURABILITY_SYSTEM_DEFAULT,
  BestAvailable = RMW_QOS_POLICY_DURABILITY_BEST_AVAILABLE,
  Unknown = RMW_QOS_POLICY_DURABILITY_UNKNOWN,
};

enum class LivelinessPolicy
{
  Automatic = RMW_QOS_POLICY_LIVELINESS_AUTOMATIC,
  ManualByTopic = RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC,
  SystemDefault = RMW_QOS_POLICY_LIVELINESS_SYSTEM_DEFAULT,
  BestAvailable = RMW_QOS_POLICY_LIVELINESS_BEST_AVAILABLE,
  Unknown = RMW_QOS_POLICY_LIVELINESS_UNKNOWN,
};

enum class QoSCompatibility
{
  Ok = RMW_QOS_COMPATIBILITY_OK,
  Warning = RMW_QOS_COMPATIBILITY_WARNING,
  Error = RMW_QOS_COMPATIBILITY_ERROR,
};

/// The history and the depth with which a profile begins.
struct RCLCPP_PUBLIC QoSInitialization
{
  rmw_qos_history_policy_t history_policy;
  size_t depth;

  QoSInitialization() = delete;
  /// Prints a warning for a depth of 0 with the history keep last.
  QoSInitialization(
    rmw_qos_history_policy_t history_policy_arg, size_t depth_arg, bool print_depth_warning = true);

  static QoSInitialization from_rmw(const rmw_qos_profile_t & rmw_qos);
};

struct RCLCPP_PUBLIC KeepAll : public QoSInitialization
{
  KeepAll();
};

struct RCLCPP_PUBLIC KeepLast : public QoSInitialization
{
  explicit KeepLast(size_t depth, bool print_depth_warning = true);
};

/// A profile of quality of service.
class RCLCPP_PUBLIC QoS
{
public:
  explicit QoS(
    const QoSInitialization & qos_initialization, const rmw_qos_profile_t & initial_profile = rmw_qos_profile_default);
  /// A number is the depth of a reliable, volatile queue.
  QoS(size_t history_depth);  // NOLINT

  rmw_qos_profile_t & get_rmw_qos_profile() {return rmw_qos_profile_;}
  const rmw_qos_profile_t & get_rmw_qos_profile() const {return rmw_qos_profile_;}

  QoS & history(HistoryPolicy history);
  QoS & history(rmw_qos_history_policy_t history);
  QoS & keep_last(size_t depth);
  QoS & keep_all();
  QoS & reliability(rmw_qos_reliability_policy_t reliability);
  QoS & reliability(ReliabilityPolicy reliability);
  QoS & reliable();
  QoS & best_effort();
  QoS & reliability_best_available();
  QoS & durability(rmw_qos_durability_policy_t durability);
  QoS & durability(DurabilityPolicy durability);
  QoS & durability_volatile();
  QoS & transient_local();
  QoS & durability_best_available();
  QoS & deadline(rmw_time_t deadline);
  QoS & deadline(const rclcpp::Duration & deadline);
  QoS & lifespan(rmw_time_t lifespan);
  QoS & lifespan(const rclcpp::Duration & lifespan);
  QoS & liveliness(rmw_qos_liveliness_policy_t liveliness);
  QoS & liveliness(LivelinessPolicy liveliness);
  QoS & liveliness_lease_duration(rmw_time_t liveliness_lease_duration);
  QoS & liveliness_lease_duration(const rclcpp::Duration & liveliness_lease_duration);
  QoS & avoid_ros_namespace_conventions(bool avoid_ros_namespace_conventions);

  HistoryPolicy history() const;
  size_t depth() const;
  ReliabilityPolicy reliability() const;
  DurabilityPolicy durability() const;
  rclcpp::Duration deadline() const;
  rclcpp::Duration lifespan() const;
  LivelinessPolicy liveliness() const;
  rclcpp::Duration liveliness_lease_duration() const;
  bool avoid_ros_namespace_conventions() const;

private:
  rmw_qos_profile_t rmw_qos_profile_;
};

RCLCPP_PUBLIC bool operator==(const QoS & left, const QoS & right);
RCLCPP_PUBLIC bool operator!=(const QoS & left, const QoS & right);

/// Whether a publisher and a subscription with these profiles exchange messages, and why not.
struct QoSCheckCompatibleResult
{
  QoSCompatibility compatibility;
  std::string reason;
};

RCLCPP_PUBLIC QoSCheckCompatibleResult qos_check_compatible(const QoS & publisher_qos, const QoS & subscription_qos);

/// Defines a class of a profile of rmw.
#define RCLCPP_DETAIL_QOS(name, profile) \
  class RCLCPP_PUBLIC name : public QoS \
  { \
  public: \
    explicit name(const QoSInitialization & qos_initialization = QoSInitialization::from_rmw(profile)) \
    : QoS(qos_initialization, profile) {} \
  };

RCLCPP_DETAIL_QOS(SensorDataQoS, rmw_qos_profile_sensor_data)
RCLCPP_DETAIL_QOS(ParametersQoS, rmw_qos_profile_parameters)
RCLCPP_DETAIL_QOS(ServicesQoS, rmw_qos_profile_services_default)
RCLCPP_DETAIL_QOS(ParameterEventsQoS, rmw_qos_profile_parameter_events)
RCLCPP_DETAIL_QOS(BestAvailableQoS, rmw_qos_profile_best_available)

#undef RCLCPP_DETAIL_QOS

/// The profile of /clock: the last message, best effort.
class RCLCPP_PUBLIC ClockQoS : public QoS
{
public:
  explicit ClockQoS(const QoSInitialization & qos_initialization = KeepLast(1));
};

/// The profile of /rosout: 1000 messages, transient local, valid for 10 s.
class RCLCPP_PUBLIC RosoutQoS : public QoS
{
public:
  explicit RosoutQoS(const QoSInitialization & rosout_qos_initialization = KeepLast(1000));
};

/// The defaults of the system, which are those of the default profile.
class RCLCPP_PUBLIC SystemDefaultsQoS : public QoS
{
public:
  explicit SystemDefaultsQoS(
    const QoSInitialization & qos_initialization = QoSInitialization(
      rmw_qos_profile_system_default.history, rmw_qos_profile_system_default.depth, false));
};

}  // namespace rclcpp

#endif  // RCLCPP__QOS_HPP_
