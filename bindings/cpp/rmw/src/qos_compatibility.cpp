// Whether the QoS that a publisher offers is at least that which a subscription requests (DDS 1.4, 2.2.3).
#include <string>

#include "rmw/error_handling.h"
#include "rmw/qos_profiles.h"
#include "rmw/qos_string_conversions.h"

namespace
{

/// Collects the faults of a pair of profiles.
class Report
{
public:
  void error(const std::string & text)
  {
    compatibility_ = RMW_QOS_COMPATIBILITY_ERROR;
    errors_ += "ERROR: " + text + ";";
  }

  void warning(const std::string & text)
  {
    if (compatibility_ == RMW_QOS_COMPATIBILITY_OK) {
      compatibility_ = RMW_QOS_COMPATIBILITY_WARNING;
    }
    warnings_ += "WARNING: " + text + ";";
  }

  rmw_qos_compatibility_type_t compatibility() const {return compatibility_;}

  std::string text() const {return errors_ + warnings_;}

private:
  rmw_qos_compatibility_type_t compatibility_ = RMW_QOS_COMPATIBILITY_OK;
  std::string errors_;
  std::string warnings_;
};

enum class Level {Weak, Strong, Unknown, BestAvailable};

Level level(rmw_qos_reliability_policy_t policy)
{
  switch (policy) {
    case RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT: return Level::Weak;
    case RMW_QOS_POLICY_RELIABILITY_RELIABLE: return Level::Strong;
    case RMW_QOS_POLICY_RELIABILITY_BEST_AVAILABLE: return Level::BestAvailable;
    default: return Level::Unknown;
  }
}

Level level(rmw_qos_durability_policy_t policy)
{
  switch (policy) {
    case RMW_QOS_POLICY_DURABILITY_VOLATILE: return Level::Weak;
    case RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL: return Level::Strong;
    case RMW_QOS_POLICY_DURABILITY_BEST_AVAILABLE: return Level::BestAvailable;
    default: return Level::Unknown;
  }
}

Level level(rmw_qos_liveliness_policy_t policy)
{
  switch (policy) {
    case RMW_QOS_POLICY_LIVELINESS_AUTOMATIC: return Level::Weak;
    case RMW_QOS_POLICY_LIVELINESS_BEST_AVAILABLE: return Level::BestAvailable;
    case RMW_QOS_POLICY_LIVELINESS_SYSTEM_DEFAULT:
    case RMW_QOS_POLICY_LIVELINESS_UNKNOWN: return Level::Unknown;
    default: return Level::Strong;
  }
}

std::string or_unknown(const char * name)
{
  return name ? name : "unknown";
}

std::string name_of(rmw_qos_reliability_policy_t policy) {return or_unknown(rmw_qos_reliability_policy_to_str(policy));}
std::string name_of(rmw_qos_durability_policy_t policy) {return or_unknown(rmw_qos_durability_policy_to_str(policy));}
std::string name_of(rmw_qos_liveliness_policy_t policy) {return or_unknown(rmw_qos_liveliness_policy_to_str(policy));}

template<typename Policy>
void check_policy(Report & report, const char * kind, Policy offered, Policy requested)
{
  const Level offer = level(offered);
  const Level request = level(requested);
  const std::string text = std::string("the publisher offers the ") + kind + " " + name_of(offered) +
    ", the subscription requests " + name_of(requested);
  if (offer == Level::Weak && request == Level::Strong) {
    report.error(text);
  } else if (offer == Level::Weak && request == Level::Unknown) {
    report.warning(text);
  } else if (offer == Level::Unknown && (request == Level::Strong || request == Level::Unknown)) {
    report.warning(text);
  }
}

void check_duration(Report & report, const char * kind, rmw_time_t offered, rmw_time_t requested)
{
  const rmw_time_t unspecified = RMW_DURATION_UNSPECIFIED;
  const rmw_time_t best_available = RMW_QOS_DEADLINE_BEST_AVAILABLE;
  if (rmw_time_equal(requested, unspecified) || rmw_time_equal(requested, best_available) ||
    rmw_time_equal(offered, best_available))
  {
    return;
  }
  if (rmw_time_equal(offered, unspecified)) {
    report.error(std::string("the subscription requests a ") + kind + ", the publisher offers none");
  } else if (rmw_time_total_nsec(offered) > rmw_time_total_nsec(requested)) {
    report.error(std::string("the ") + kind + " of the publisher is longer than that of the subscription");
  }
}

void write(const std::string & text, char * buffer, size_t size)
{
  if (size > 0) {
    const size_t length = text.copy(buffer, size - 1);
    buffer[length] = '\0';
  }
}

}  // namespace

rmw_ret_t rmw_qos_profile_check_compatible(
  const rmw_qos_profile_t publisher_profile, const rmw_qos_profile_t subscription_profile,
  rmw_qos_compatibility_type_t * compatibility, char * reason, size_t reason_size)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(compatibility, RMW_RET_INVALID_ARGUMENT);
  if (!reason && reason_size != 0) {
    RMW_SET_ERROR_MSG("the reason is null, but its size is not 0");
    return RMW_RET_INVALID_ARGUMENT;
  }
  const rmw_qos_profile_t & offered = publisher_profile;
  const rmw_qos_profile_t & requested = subscription_profile;
  Report report;
  check_policy(report, "reliability", offered.reliability, requested.reliability);
  check_policy(report, "durability", offered.durability, requested.durability);
  check_duration(report, "deadline", offered.deadline, requested.deadline);
  check_policy(report, "liveliness", offered.liveliness, requested.liveliness);
  check_duration(
    report, "liveliness lease duration", offered.liveliness_lease_duration, requested.liveliness_lease_duration);
  *compatibility = report.compatibility();
  write(report.text(), reason, reason_size);
  return RMW_RET_OK;
}
