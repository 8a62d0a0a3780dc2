// QoS settings, and how users override them.
#include "common.hpp"

namespace
{

class Overrides : public WithNode {};

}  // namespace

TEST(Qos, settings_are_chained)
{
  auto qos = rclcpp::QoS(rclcpp::KeepLast(7)).best_effort().durability_volatile();
  EXPECT_EQ(qos.depth(), 7u);
  EXPECT_EQ(qos.reliability(), rclcpp::ReliabilityPolicy::BestEffort);
  EXPECT_EQ(qos.durability(), rclcpp::DurabilityPolicy::Volatile);
  EXPECT_EQ(qos.history(), rclcpp::HistoryPolicy::KeepLast);
  qos.keep_last(3).reliable().transient_local();
  EXPECT_EQ(qos.reliability(), rclcpp::ReliabilityPolicy::Reliable);
  EXPECT_EQ(qos.durability(), rclcpp::DurabilityPolicy::TransientLocal);
  qos.reliability(RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT).durability(rclcpp::DurabilityPolicy::Volatile);
  EXPECT_EQ(qos.get_rmw_qos_profile().depth, 3u);
  EXPECT_EQ(qos.get_rmw_qos_profile().reliability, RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT);
  EXPECT_EQ(qos.get_rmw_qos_profile().durability, RMW_QOS_POLICY_DURABILITY_VOLATILE);
}

TEST(Qos, times_are_durations)
{
  auto qos = rclcpp::QoS(1).deadline(100ms).lifespan(rclcpp::Duration(2s))
    .liveliness(rclcpp::LivelinessPolicy::ManualByTopic).liveliness_lease_duration(rclcpp::Duration::from_seconds(3));
  EXPECT_EQ(qos.deadline(), rclcpp::Duration(100ms));
  EXPECT_EQ(qos.lifespan().seconds(), 2.0);
  EXPECT_EQ(qos.liveliness(), rclcpp::LivelinessPolicy::ManualByTopic);
  EXPECT_EQ(qos.liveliness_lease_duration().seconds(), 3.0);
}

TEST(Qos, profiles_have_their_values)
{
  EXPECT_EQ(rclcpp::SensorDataQoS().reliability(), rclcpp::ReliabilityPolicy::BestEffort);
  EXPECT_EQ(rclcpp::SensorDataQoS().depth(), 5u);
  EXPECT_EQ(rclcpp::SystemDefaultsQoS().reliability(), rclcpp::ReliabilityPolicy::SystemDefault);
  EXPECT_EQ(rclcpp::ServicesQoS().depth(), 10u);
  EXPECT_EQ(rclcpp::ParametersQoS().depth(), 1000u);
  EXPECT_EQ(rclcpp::ClockQoS().depth(), 1u);
}

TEST(Qos, profiles_of_rmw_are_taken)
{
  const rmw_qos_profile_t profile = rmw_qos_profile_sensor_data;
  const auto initialization = rclcpp::QoSInitialization::from_rmw(profile);
  EXPECT_EQ(rclcpp::QoS(initialization, profile), rclcpp::QoS(rclcpp::SensorDataQoS()));
  const rclcpp::QoSInitialization all(RMW_QOS_POLICY_HISTORY_KEEP_ALL, 0);
  EXPECT_EQ(rclcpp::QoS(all).history(), rclcpp::HistoryPolicy::KeepAll);
}

TEST(Qos, policies_have_kinds)
{
  const rclcpp::QosOverridingOptions options{
    rclcpp::QosPolicyKind::Depth, rclcpp::QosPolicyKind::Durability, rclcpp::QosPolicyKind::History,
    rclcpp::QosPolicyKind::Reliability};
  EXPECT_EQ(options.get_policy_kinds().size(), 4u);
  EXPECT_EQ(options.get_policy_kinds()[0], rclcpp::QosPolicyKind::Depth);
}

TEST_F(Overrides, users_set_policies_with_parameters)
{
  auto other = std::make_shared<rclcpp::Node>(
    "other", rclcpp::NodeOptions().append_parameter_override("qos_overrides./words.publisher.depth", 42));
  rclcpp::PublisherOptionsWithAllocator<std::allocator<void>> options;
  options.qos_overriding_options = rclcpp::QosOverridingOptions::with_default_policies();
  auto publisher = other->create_publisher<Text>("words", 10, options);
  EXPECT_EQ(publisher->get_actual_qos().depth(), 42u);
  EXPECT_EQ(other->get_parameter("qos_overrides./words.publisher.reliability").as_string(), "reliable");

  rclcpp::SubscriptionOptionsWithAllocator<std::allocator<void>> refused;
  refused.qos_overriding_options = rclcpp::QosOverridingOptions::with_default_policies(
    [](const rclcpp::QoS &) {
      rcl_interfaces::msg::SetParametersResult result;
      result.successful = false;
      return result;
    });
  EXPECT_THROW(
    other->create_subscription<Text>("words", 10, [](const Text &) {}, refused),
    rclcpp::exceptions::InvalidQosOverridesException);
}
