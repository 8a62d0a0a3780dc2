#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "rcl/discovery_options.h"
#include "rcl/domain_id.h"
#include "rcl/error_handling.h"
#include "rcl/init_options.h"
#include "rcl/localhost.h"
#include "rcl/log_level.h"
#include "rcl/logging_rosout.h"
#include "rcl/rcl.h"
#include "rcl/version.h"

namespace
{

/// Sets an environment variable, or removes it again.
class Environment : public ::testing::Test
{
protected:
  void set(const char * name, const char * value)
  {
    name_ = name;
    setenv(name, value, 1);
  }

  void TearDown() override
  {
    unsetenv(name_.c_str());
    rcl_reset_error();
  }

private:
  std::string name_ = "ROS_DOMAIN_ID";
};

TEST_F(Environment, DomainId)
{
  const auto get = [this](const char * value) {
      set(RCL_DOMAIN_ID_ENV_VAR, value);
      size_t domain_id = 55;
      const rcl_ret_t ret = rcl_get_default_domain_id(&domain_id);
      rcl_reset_error();
      return ret == RCL_RET_OK ? static_cast<long long>(domain_id) : -1;
    };
  EXPECT_EQ(55, get(""));
  EXPECT_EQ(0, get("0"));
  EXPECT_EQ(232, get("232"));
  EXPECT_EQ(16, get("0x10"));
  EXPECT_EQ(-1, get("abc"));
  EXPECT_EQ(-1, get("3x"));
  EXPECT_EQ(-1, get("-1"));
  EXPECT_EQ(-1, get("99999999999999999999"));
  EXPECT_EQ(-1, get("18446744073709551615"));
  EXPECT_EQ(RCL_RET_INVALID_ARGUMENT, rcl_get_default_domain_id(nullptr));
}

TEST_F(Environment, Localhost)
{
  const auto get = [this](const char * value) {
      set(RCL_LOCALHOST_ENV_VAR, value);
      rmw_localhost_only_t localhost_only = RMW_LOCALHOST_ONLY_DEFAULT;
      EXPECT_EQ(RCL_RET_OK, rcl_get_localhost_only(&localhost_only));
      return localhost_only;
    };
  EXPECT_EQ(RMW_LOCALHOST_ONLY_DEFAULT, get(""));
  EXPECT_EQ(RMW_LOCALHOST_ONLY_ENABLED, get("1"));
  EXPECT_EQ(RMW_LOCALHOST_ONLY_DISABLED, get("0"));
}

TEST_F(Environment, DiscoveryRange)
{
  const auto get = [this](const char * value) {
      set("ROS_AUTOMATIC_DISCOVERY_RANGE", value);
      rmw_discovery_options_t options = rmw_get_zero_initialized_discovery_options();
      EXPECT_EQ(RCL_RET_OK, rcl_get_automatic_discovery_range(&options));
      return options.automatic_discovery_range;
    };
  EXPECT_EQ(RMW_AUTOMATIC_DISCOVERY_RANGE_SUBNET, get(""));
  EXPECT_EQ(RMW_AUTOMATIC_DISCOVERY_RANGE_OFF, get("OFF"));
  EXPECT_EQ(RMW_AUTOMATIC_DISCOVERY_RANGE_LOCALHOST, get("LOCALHOST"));
  EXPECT_EQ(RMW_AUTOMATIC_DISCOVERY_RANGE_SUBNET, get("SUBNET"));
  EXPECT_EQ(RMW_AUTOMATIC_DISCOVERY_RANGE_SYSTEM_DEFAULT, get("SYSTEM_DEFAULT"));
  EXPECT_EQ(RMW_AUTOMATIC_DISCOVERY_RANGE_LOCALHOST, get("subnet"));
  EXPECT_STREQ(
    "RMW_AUTOMATIC_DISCOVERY_RANGE_OFF", rcl_automatic_discovery_range_to_string(RMW_AUTOMATIC_DISCOVERY_RANGE_OFF));
  EXPECT_EQ(nullptr, rcl_automatic_discovery_range_to_string(static_cast<rmw_automatic_discovery_range_t>(5)));
}

TEST_F(Environment, StaticPeers)
{
  rcutils_allocator_t allocator = rcutils_get_default_allocator();
  const auto get = [&](const std::string & value) {
      set("ROS_STATIC_PEERS", value.c_str());
      rmw_discovery_options_t options = rmw_get_zero_initialized_discovery_options();
      EXPECT_EQ(RCL_RET_OK, rcl_get_discovery_static_peers(&options, &allocator));
      std::string peers;
      for (size_t index = 0; index < options.static_peers_count; ++index) {
        peers += std::string("[") + options.static_peers[index].peer_address + "]";
      }
      EXPECT_EQ(RMW_RET_OK, rmw_discovery_options_fini(&options));
      return peers;
    };
  EXPECT_EQ("", get(""));
  EXPECT_EQ("[10.0.0.1]", get("10.0.0.1"));
  EXPECT_EQ("[a][b]", get("a;;b;"));
  EXPECT_EQ("[b]", get(std::string(256, 'a') + ";b"));
}

TEST_F(Environment, LoanedMessages)
{
  const auto get = [this](const char * value) {
      set(RCL_DISABLE_LOANED_MESSAGES_ENV_VAR, value);
      bool disables = false;
      EXPECT_EQ(RCL_RET_OK, rcl_get_disable_loaned_message(&disables));
      const auto text = [](bool flag) {return flag ? "1" : "0";};
      return std::string(text(disables)) + text(rcl_publisher_get_default_options().disable_loaned_message) +
             text(rcl_subscription_get_default_options().disable_loaned_message);
    };
  EXPECT_EQ("001", get(""));
  EXPECT_EQ("000", get("0"));
  EXPECT_EQ("111", get("1"));
  EXPECT_EQ("001", get("x"));
}

TEST(Defaults, QosProfiles)
{
  EXPECT_EQ(10u, rcl_publisher_get_default_options().qos.depth);
  EXPECT_EQ(10u, rcl_subscription_get_default_options().qos.depth);
  EXPECT_EQ(RMW_QOS_POLICY_RELIABILITY_RELIABLE, rcl_client_get_default_options().qos.reliability);
  EXPECT_EQ(RMW_QOS_POLICY_DURABILITY_VOLATILE, rcl_service_get_default_options().qos.durability);
  const rmw_qos_profile_t & rosout = rcl_qos_profile_rosout_default;
  EXPECT_EQ(1000u, rosout.depth);
  EXPECT_EQ(RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL, rosout.durability);
  EXPECT_EQ(RMW_QOS_POLICY_RELIABILITY_RELIABLE, rosout.reliability);
  EXPECT_EQ(10u, rosout.lifespan.sec);
  const rcl_node_options_t node = rcl_node_get_default_options();
  EXPECT_TRUE(node.use_global_arguments);
  EXPECT_TRUE(node.enable_rosout);
  EXPECT_EQ(1000u, node.rosout_qos.depth);
  const rcl_guard_condition_options_t guard_condition = rcl_guard_condition_get_default_options();
  EXPECT_TRUE(rcutils_allocator_is_valid(&node.allocator));
  EXPECT_TRUE(rcutils_allocator_is_valid(&guard_condition.allocator));
}

TEST(Defaults, ZeroInitializedStructs)
{
  EXPECT_EQ(nullptr, rcl_get_zero_initialized_node().impl);
  EXPECT_EQ(nullptr, rcl_get_zero_initialized_context().impl);
  EXPECT_EQ(nullptr, rcl_get_zero_initialized_publisher().impl);
  EXPECT_EQ(nullptr, rcl_get_zero_initialized_subscription().impl);
  EXPECT_EQ(nullptr, rcl_get_zero_initialized_client().impl);
  EXPECT_EQ(nullptr, rcl_get_zero_initialized_service().impl);
  EXPECT_EQ(nullptr, rcl_get_zero_initialized_timer().impl);
  EXPECT_EQ(nullptr, rcl_get_zero_initialized_event().impl);
  EXPECT_EQ(nullptr, rcl_get_zero_initialized_guard_condition().impl);
  EXPECT_EQ(nullptr, rcl_get_zero_initialized_wait_set().impl);
}

TEST(Defaults, Constants)
{
  EXPECT_EQ(2, RCL_SERVICE_INTROSPECTION_CONTENTS);
  EXPECT_EQ(401, RCL_RET_SUBSCRIPTION_TAKE_FAILED);
  EXPECT_EQ(3001, RCL_RET_LIFECYCLE_STATE_NOT_REGISTERED);
  EXPECT_TRUE(RCL_VERSION_GTE(9, 2, 0));
  EXPECT_FALSE(RCL_VERSION_GTE(10, 0, 0));
  EXPECT_STREQ("--ros-args", RCL_ROS_ARGS_FLAG);
}

TEST(InitOptions, Lifetime)
{
  const rcl_allocator_t allocator = rcl_get_default_allocator();
  rcl_init_options_t options = rcl_get_zero_initialized_init_options();
  size_t domain_id = 1;
  EXPECT_EQ(RCL_RET_INVALID_ARGUMENT, rcl_init_options_get_domain_id(&options, &domain_id));
  rcl_reset_error();
  ASSERT_EQ(RCL_RET_OK, rcl_init_options_init(&options, allocator));
  EXPECT_EQ(RCL_RET_ALREADY_INIT, rcl_init_options_init(&options, allocator));
  rcl_reset_error();
  ASSERT_EQ(RCL_RET_OK, rcl_init_options_get_domain_id(&options, &domain_id));
  EXPECT_EQ(RCL_DEFAULT_DOMAIN_ID, domain_id);
  ASSERT_EQ(RCL_RET_OK, rcl_init_options_set_domain_id(&options, 42));
  rcl_init_options_t copy = rcl_get_zero_initialized_init_options();
  ASSERT_EQ(RCL_RET_OK, rcl_init_options_copy(&options, &copy));
  ASSERT_EQ(RCL_RET_OK, rcl_init_options_get_domain_id(&copy, &domain_id));
  EXPECT_EQ(42u, domain_id);
  EXPECT_EQ(RCL_RET_ALREADY_INIT, rcl_init_options_copy(&options, &copy));
  rcl_reset_error();
  EXPECT_EQ(42u, rcl_init_options_get_rmw_init_options(&copy)->domain_id);
  EXPECT_NE(nullptr, rcl_init_options_get_allocator(&copy));
  EXPECT_EQ(RCL_RET_OK, rcl_init_options_fini(&copy));
  EXPECT_EQ(RCL_RET_INVALID_ARGUMENT, rcl_init_options_fini(&copy));
  rcl_reset_error();
  EXPECT_EQ(nullptr, rcl_init_options_get_rmw_init_options(&copy));
  rcl_reset_error();
  EXPECT_EQ(RCL_RET_OK, rcl_init_options_fini(&options));
}

TEST(SubscriptionOptions, ContentFilter)
{
  const char * parameters[] = {"1", "2"};
  rcl_subscription_options_t options = rcl_subscription_get_default_options();
  ASSERT_EQ(RCL_RET_OK, rcl_subscription_options_set_content_filter_options("a = %0", 2, parameters, &options));
  ASSERT_EQ(RCL_RET_OK, rcl_subscription_options_set_content_filter_options("b", 0, nullptr, &options));
  EXPECT_STREQ("b", options.rmw_subscription_options.content_filter_options->filter_expression);
  // A wrong argument leaves the old filter.
  EXPECT_EQ(
    RCL_RET_INVALID_ARGUMENT, rcl_subscription_options_set_content_filter_options("c", 101, parameters, &options));
  rcl_reset_error();
  EXPECT_STREQ("b", options.rmw_subscription_options.content_filter_options->filter_expression);
  EXPECT_EQ(RCL_RET_OK, rcl_subscription_options_fini(&options));
  EXPECT_EQ(nullptr, options.rmw_subscription_options.content_filter_options);
  EXPECT_EQ(RCL_RET_OK, rcl_subscription_options_fini(&options));
}

TEST(LogLevels, Settings)
{
  const rcl_allocator_t allocator = rcl_get_default_allocator();
  rcl_log_levels_t levels = rcl_get_zero_initialized_log_levels();
  EXPECT_EQ(
    RCL_RET_INVALID_ARGUMENT, rcl_log_levels_add_logger_setting(&levels, "a", RCUTILS_LOG_SEVERITY_DEBUG));
  rcl_reset_error();
  ASSERT_EQ(RCL_RET_OK, rcl_log_levels_init(&levels, &allocator, 2));
  EXPECT_EQ(RCL_RET_INVALID_ARGUMENT, rcl_log_levels_init(&levels, &allocator, 2));
  rcl_reset_error();
  ASSERT_EQ(RCL_RET_OK, rcl_log_levels_add_logger_setting(&levels, "a", RCUTILS_LOG_SEVERITY_DEBUG));
  ASSERT_EQ(RCL_RET_OK, rcl_log_levels_add_logger_setting(&levels, "a", RCUTILS_LOG_SEVERITY_WARN));
  EXPECT_EQ(1u, levels.num_logger_settings);
  EXPECT_EQ(RCUTILS_LOG_SEVERITY_WARN, levels.logger_settings[0].level);
  ASSERT_EQ(RCL_RET_OK, rcl_log_levels_shrink_to_size(&levels));
  EXPECT_EQ(1u, levels.capacity_logger_settings);
  EXPECT_EQ(RCL_RET_ERROR, rcl_log_levels_add_logger_setting(&levels, "b", RCUTILS_LOG_SEVERITY_INFO));
  rcl_reset_error();
  levels.default_logger_level = RCUTILS_LOG_SEVERITY_ERROR;
  rcl_log_levels_t copy = rcl_get_zero_initialized_log_levels();
  ASSERT_EQ(RCL_RET_OK, rcl_log_levels_copy(&levels, &copy));
  EXPECT_STREQ("a", copy.logger_settings[0].name);
  EXPECT_EQ(RCUTILS_LOG_SEVERITY_ERROR, copy.default_logger_level);
  EXPECT_EQ(RCL_RET_OK, rcl_log_levels_fini(&copy));
  EXPECT_EQ(RCL_RET_OK, rcl_log_levels_fini(&copy));
  EXPECT_EQ(RCL_RET_OK, rcl_log_levels_fini(&levels));
}

}  // namespace
