#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <utility>

#include "rmw/error_handling.h"
#include "rmw/qos_profiles.h"
#include "rmw/qos_string_conversions.h"

namespace
{

void expect_time(uint64_t sec, uint64_t nsec, const rmw_time_t & time)
{
  EXPECT_EQ(sec, time.sec);
  EXPECT_EQ(nsec, time.nsec);
}

void expect_profile(
  const rmw_qos_profile_t & profile, rmw_qos_history_policy_t history, size_t depth,
  rmw_qos_reliability_policy_t reliability, rmw_qos_durability_policy_t durability,
  rmw_qos_liveliness_policy_t liveliness = RMW_QOS_POLICY_LIVELINESS_SYSTEM_DEFAULT)
{
  EXPECT_EQ(history, profile.history);
  EXPECT_EQ(depth, profile.depth);
  EXPECT_EQ(reliability, profile.reliability);
  EXPECT_EQ(durability, profile.durability);
  EXPECT_EQ(liveliness, profile.liveliness);
  expect_time(0, 0, profile.lifespan);
  EXPECT_FALSE(profile.avoid_ros_namespace_conventions);
}

TEST(QosProfiles, Values)
{
  const auto keep_last = RMW_QOS_POLICY_HISTORY_KEEP_LAST;
  const auto reliable = RMW_QOS_POLICY_RELIABILITY_RELIABLE;
  const auto is_volatile = RMW_QOS_POLICY_DURABILITY_VOLATILE;
  expect_profile(rmw_qos_profile_default, keep_last, 10, reliable, is_volatile);
  expect_profile(
    rmw_qos_profile_sensor_data, keep_last, 5, RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT, is_volatile);
  expect_profile(rmw_qos_profile_parameters, keep_last, 1000, reliable, is_volatile);
  expect_profile(rmw_qos_profile_services_default, keep_last, 10, reliable, is_volatile);
  expect_profile(rmw_qos_profile_parameter_events, keep_last, 1000, reliable, is_volatile);
  expect_profile(
    rmw_qos_profile_system_default, RMW_QOS_POLICY_HISTORY_SYSTEM_DEFAULT, 0,
    RMW_QOS_POLICY_RELIABILITY_SYSTEM_DEFAULT, RMW_QOS_POLICY_DURABILITY_SYSTEM_DEFAULT);
  expect_profile(
    rmw_qos_profile_best_available, keep_last, 10, RMW_QOS_POLICY_RELIABILITY_BEST_AVAILABLE,
    RMW_QOS_POLICY_DURABILITY_BEST_AVAILABLE, RMW_QOS_POLICY_LIVELINESS_BEST_AVAILABLE);
  expect_profile(
    rmw_qos_profile_unknown, RMW_QOS_POLICY_HISTORY_UNKNOWN, 0, RMW_QOS_POLICY_RELIABILITY_UNKNOWN,
    RMW_QOS_POLICY_DURABILITY_UNKNOWN, RMW_QOS_POLICY_LIVELINESS_UNKNOWN);
}

TEST(QosProfiles, Durations)
{
  const rmw_qos_profile_t profiles[] = {
    rmw_qos_profile_default, rmw_qos_profile_sensor_data, rmw_qos_profile_parameters,
    rmw_qos_profile_services_default, rmw_qos_profile_parameter_events, rmw_qos_profile_system_default,
    rmw_qos_profile_unknown};
  for (const rmw_qos_profile_t & profile : profiles) {
    expect_time(0, 0, profile.deadline);
    expect_time(0, 0, profile.liveliness_lease_duration);
  }
  expect_time(9223372036, 854775806, rmw_qos_profile_best_available.deadline);
  expect_time(9223372036, 854775806, rmw_qos_profile_best_available.liveliness_lease_duration);
  const rmw_time_t infinite = RMW_DURATION_INFINITE;
  expect_time(9223372036, 854775807, infinite);
}

TEST(QosProfiles, NumbersOfPolicies)
{
  EXPECT_EQ(0, RMW_QOS_POLICY_RELIABILITY_SYSTEM_DEFAULT);
  EXPECT_EQ(1, RMW_QOS_POLICY_RELIABILITY_RELIABLE);
  EXPECT_EQ(2, RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT);
  EXPECT_EQ(3, RMW_QOS_POLICY_RELIABILITY_UNKNOWN);
  EXPECT_EQ(4, RMW_QOS_POLICY_RELIABILITY_BEST_AVAILABLE);
  EXPECT_EQ(1, RMW_QOS_POLICY_HISTORY_KEEP_LAST);
  EXPECT_EQ(2, RMW_QOS_POLICY_HISTORY_KEEP_ALL);
  EXPECT_EQ(3, RMW_QOS_POLICY_HISTORY_UNKNOWN);
  EXPECT_EQ(1, RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL);
  EXPECT_EQ(2, RMW_QOS_POLICY_DURABILITY_VOLATILE);
  EXPECT_EQ(4, RMW_QOS_POLICY_DURABILITY_BEST_AVAILABLE);
  EXPECT_EQ(1, RMW_QOS_POLICY_LIVELINESS_AUTOMATIC);
  EXPECT_EQ(3, RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC);
  EXPECT_EQ(5, RMW_QOS_POLICY_LIVELINESS_BEST_AVAILABLE);
  EXPECT_EQ(512, RMW_QOS_POLICY_AVOID_ROS_NAMESPACE_CONVENTIONS);
}

TEST(QosStrings, EachNameHasItsValue)
{
  const int kinds[] = {2, 4, 8, 16, 32, 64, 128, 256, 512};
  for (const int kind : kinds) {
    const char * name = rmw_qos_policy_kind_to_str(static_cast<rmw_qos_policy_kind_t>(kind));
    ASSERT_NE(nullptr, name);
    EXPECT_EQ(kind, rmw_qos_policy_kind_from_str(name));
  }
  EXPECT_STREQ("avoid_ros_namespace_conventions",
    rmw_qos_policy_kind_to_str(RMW_QOS_POLICY_AVOID_ROS_NAMESPACE_CONVENTIONS));
  EXPECT_EQ(nullptr, rmw_qos_policy_kind_to_str(RMW_QOS_POLICY_INVALID));
  EXPECT_STREQ("transient_local", rmw_qos_durability_policy_to_str(RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL));
  EXPECT_STREQ("keep_all", rmw_qos_history_policy_to_str(RMW_QOS_POLICY_HISTORY_KEEP_ALL));
  EXPECT_STREQ("manual_by_topic", rmw_qos_liveliness_policy_to_str(RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC));
  EXPECT_STREQ("best_effort", rmw_qos_reliability_policy_to_str(RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT));
  EXPECT_EQ(RMW_QOS_POLICY_DURABILITY_BEST_AVAILABLE, rmw_qos_durability_policy_from_str("best_available"));
  EXPECT_EQ(RMW_QOS_POLICY_HISTORY_SYSTEM_DEFAULT, rmw_qos_history_policy_from_str("system_default"));
  EXPECT_EQ(RMW_QOS_POLICY_LIVELINESS_AUTOMATIC, rmw_qos_liveliness_policy_from_str("automatic"));
  EXPECT_EQ(RMW_QOS_POLICY_RELIABILITY_RELIABLE, rmw_qos_reliability_policy_from_str("reliable"));
}

TEST(QosStrings, OtherNamesAreUnknown)
{
  for (const char * name : {"", "Reliable", "reliable ", "unknown", static_cast<const char *>(nullptr)}) {
    EXPECT_EQ(RMW_QOS_POLICY_INVALID, rmw_qos_policy_kind_from_str(name));
    EXPECT_EQ(RMW_QOS_POLICY_DURABILITY_UNKNOWN, rmw_qos_durability_policy_from_str(name));
    EXPECT_EQ(RMW_QOS_POLICY_HISTORY_UNKNOWN, rmw_qos_history_policy_from_str(name));
    EXPECT_EQ(RMW_QOS_POLICY_LIVELINESS_UNKNOWN, rmw_qos_liveliness_policy_from_str(name));
    EXPECT_EQ(RMW_QOS_POLICY_RELIABILITY_UNKNOWN, rmw_qos_reliability_policy_from_str(name));
  }
  EXPECT_EQ(nullptr, rmw_qos_reliability_policy_to_str(RMW_QOS_POLICY_RELIABILITY_UNKNOWN));
}

/// Two profiles that match.
class QosCompatibility : public ::testing::Test
{
protected:
  QosCompatibility()
  {
    offered.liveliness = RMW_QOS_POLICY_LIVELINESS_AUTOMATIC;
    requested.liveliness = RMW_QOS_POLICY_LIVELINESS_AUTOMATIC;
  }

  rmw_qos_compatibility_type_t check()
  {
    rmw_qos_compatibility_type_t type = RMW_QOS_COMPATIBILITY_ERROR;
    EXPECT_EQ(RMW_RET_OK, rmw_qos_profile_check_compatible(offered, requested, &type, reason, sizeof(reason)));
    return type;
  }

  rmw_qos_profile_t offered = rmw_qos_profile_default;
  rmw_qos_profile_t requested = rmw_qos_profile_default;
  char reason[512];
};

TEST_F(QosCompatibility, EqualProfilesMatch)
{
  EXPECT_EQ(RMW_QOS_COMPATIBILITY_OK, check());
  EXPECT_STREQ("", reason);
}

TEST_F(QosCompatibility, Reliability)
{
  const rmw_qos_compatibility_type_t expected[5][5] = {
    // Requested: system default, reliable, best effort, unknown, best available.
    {RMW_QOS_COMPATIBILITY_WARNING, RMW_QOS_COMPATIBILITY_WARNING, RMW_QOS_COMPATIBILITY_OK,
      RMW_QOS_COMPATIBILITY_WARNING, RMW_QOS_COMPATIBILITY_OK},
    {RMW_QOS_COMPATIBILITY_OK, RMW_QOS_COMPATIBILITY_OK, RMW_QOS_COMPATIBILITY_OK, RMW_QOS_COMPATIBILITY_OK,
      RMW_QOS_COMPATIBILITY_OK},
    {RMW_QOS_COMPATIBILITY_WARNING, RMW_QOS_COMPATIBILITY_ERROR, RMW_QOS_COMPATIBILITY_OK,
      RMW_QOS_COMPATIBILITY_WARNING, RMW_QOS_COMPATIBILITY_OK},
    {RMW_QOS_COMPATIBILITY_WARNING, RMW_QOS_COMPATIBILITY_WARNING, RMW_QOS_COMPATIBILITY_OK,
      RMW_QOS_COMPATIBILITY_WARNING, RMW_QOS_COMPATIBILITY_OK},
    {RMW_QOS_COMPATIBILITY_OK, RMW_QOS_COMPATIBILITY_OK, RMW_QOS_COMPATIBILITY_OK, RMW_QOS_COMPATIBILITY_OK,
      RMW_QOS_COMPATIBILITY_OK},
  };
  for (int offer = 0; offer < 5; ++offer) {
    for (int request = 0; request < 5; ++request) {
      offered.reliability = static_cast<rmw_qos_reliability_policy_t>(offer);
      requested.reliability = static_cast<rmw_qos_reliability_policy_t>(request);
      EXPECT_EQ(expected[offer][request], check()) << offer << " " << request;
    }
  }
}

TEST_F(QosCompatibility, Durability)
{
  offered.durability = RMW_QOS_POLICY_DURABILITY_VOLATILE;
  requested.durability = RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL;
  EXPECT_EQ(RMW_QOS_COMPATIBILITY_ERROR, check());
  EXPECT_EQ(0u, std::string(reason).find("ERROR: "));
  EXPECT_NE(std::string::npos, std::string(reason).find("durability"));
  EXPECT_EQ(';', reason[std::strlen(reason) - 1]);
  std::swap(offered.durability, requested.durability);
  EXPECT_EQ(RMW_QOS_COMPATIBILITY_OK, check());
  requested.durability = RMW_QOS_POLICY_DURABILITY_SYSTEM_DEFAULT;
  EXPECT_EQ(RMW_QOS_COMPATIBILITY_OK, check());
  offered.durability = RMW_QOS_POLICY_DURABILITY_UNKNOWN;
  EXPECT_EQ(RMW_QOS_COMPATIBILITY_WARNING, check());
}

TEST_F(QosCompatibility, Liveliness)
{
  requested.liveliness = RMW_QOS_POLICY_LIVELINESS_MANUAL_BY_TOPIC;
  EXPECT_EQ(RMW_QOS_COMPATIBILITY_ERROR, check());
  offered.liveliness = RMW_QOS_POLICY_LIVELINESS_SYSTEM_DEFAULT;
  EXPECT_EQ(RMW_QOS_COMPATIBILITY_WARNING, check());
  requested.liveliness = RMW_QOS_POLICY_LIVELINESS_AUTOMATIC;
  EXPECT_EQ(RMW_QOS_COMPATIBILITY_OK, check());
}

TEST_F(QosCompatibility, Durations)
{
  for (rmw_time_t rmw_qos_profile_t::* duration :
    {&rmw_qos_profile_t::deadline, &rmw_qos_profile_t::liveliness_lease_duration})
  {
    requested.*duration = {1, 0};
    EXPECT_EQ(RMW_QOS_COMPATIBILITY_ERROR, check());
    offered.*duration = {2, 0};
    EXPECT_EQ(RMW_QOS_COMPATIBILITY_ERROR, check());
    offered.*duration = {0, 1000000000};
    EXPECT_EQ(RMW_QOS_COMPATIBILITY_OK, check());
    offered.*duration = RMW_DURATION_INFINITE;
    EXPECT_EQ(RMW_QOS_COMPATIBILITY_ERROR, check());
    offered.*duration = RMW_QOS_DEADLINE_BEST_AVAILABLE;
    EXPECT_EQ(RMW_QOS_COMPATIBILITY_OK, check());
    offered.*duration = RMW_DURATION_UNSPECIFIED;
    requested.*duration = RMW_QOS_DEADLINE_BEST_AVAILABLE;
    EXPECT_EQ(RMW_QOS_COMPATIBILITY_OK, check());
    requested.*duration = RMW_DURATION_UNSPECIFIED;
    EXPECT_EQ(RMW_QOS_COMPATIBILITY_OK, check());
  }
}

TEST_F(QosCompatibility, ErrorsComeBeforeWarnings)
{
  offered.liveliness = RMW_QOS_POLICY_LIVELINESS_UNKNOWN;
  requested.liveliness = RMW_QOS_POLICY_LIVELINESS_UNKNOWN;
  requested.deadline = {1, 0};
  EXPECT_EQ(RMW_QOS_COMPATIBILITY_ERROR, check());
  const std::string text = reason;
  EXPECT_EQ(0u, text.find("ERROR: "));
  EXPECT_NE(std::string::npos, text.find(";WARNING: "));
}

TEST_F(QosCompatibility, Arguments)
{
  requested.durability = RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL;
  rmw_qos_compatibility_type_t type;
  EXPECT_EQ(RMW_RET_INVALID_ARGUMENT, rmw_qos_profile_check_compatible(offered, requested, nullptr, reason, 8));
  rmw_reset_error();
  EXPECT_EQ(RMW_RET_INVALID_ARGUMENT, rmw_qos_profile_check_compatible(offered, requested, &type, nullptr, 8));
  EXPECT_TRUE(rmw_error_is_set());
  rmw_reset_error();
  EXPECT_EQ(RMW_RET_OK, rmw_qos_profile_check_compatible(offered, requested, &type, nullptr, 0));
  EXPECT_EQ(RMW_QOS_COMPATIBILITY_ERROR, type);
  EXPECT_EQ(RMW_RET_OK, rmw_qos_profile_check_compatible(offered, requested, &type, reason, 8));
  EXPECT_STREQ("ERROR: ", reason);
}

}  // namespace
