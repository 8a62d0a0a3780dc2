#include <gtest/gtest.h>

#include <cstring>

#include "failing_allocator.hpp"
#include "rmw/discovery_options.h"
#include "rmw/error_handling.h"
#include "rmw/init.h"
#include "rmw/init_options.h"
#include "rmw/publisher_options.h"
#include "rmw/rmw.h"
#include "rmw/security_options.h"
#include "rmw/subscription_content_filter_options.h"
#include "rmw/subscription_options.h"

namespace
{

/// Each test frees all memory.
class Options : public ::testing::Test
{
protected:
  void TearDown() override
  {
    EXPECT_EQ(0, counter.live());
    rmw_reset_error();
  }

  CountingAllocator counter;
  rcutils_allocator_t allocator = counter.get();
};

TEST_F(Options, Security)
{
  rmw_security_options_t options = rmw_get_default_security_options();
  EXPECT_EQ(RMW_SECURITY_ENFORCEMENT_PERMISSIVE, options.enforce_security);
  EXPECT_EQ(nullptr, options.security_root_path);
  ASSERT_EQ(RMW_RET_OK, rmw_security_options_set_root_path("/keys", &allocator, &options));
  options.enforce_security = RMW_SECURITY_ENFORCEMENT_ENFORCE;
  rmw_security_options_t copy = rmw_get_zero_initialized_security_options();
  ASSERT_EQ(RMW_RET_OK, rmw_security_options_copy(&options, &allocator, &copy));
  EXPECT_STREQ("/keys", copy.security_root_path);
  EXPECT_NE(options.security_root_path, copy.security_root_path);
  EXPECT_EQ(RMW_SECURITY_ENFORCEMENT_ENFORCE, copy.enforce_security);
  EXPECT_EQ(RMW_RET_OK, rmw_security_options_fini(&options, &allocator));
  EXPECT_EQ(RMW_RET_OK, rmw_security_options_fini(&options, &allocator));
  EXPECT_EQ(nullptr, options.security_root_path);
  EXPECT_EQ(RMW_RET_OK, rmw_security_options_fini(&copy, &allocator));

  CountingAllocator none(0);
  rcutils_allocator_t failing = none.get();
  EXPECT_EQ(RMW_RET_BAD_ALLOC, rmw_security_options_set_root_path("x", &failing, &options));
  rmw_reset_error();
  EXPECT_EQ(RMW_RET_INVALID_ARGUMENT, rmw_security_options_set_root_path(nullptr, &allocator, &options));
}

TEST_F(Options, Discovery)
{
  rmw_discovery_options_t options = rmw_get_zero_initialized_discovery_options();
  EXPECT_EQ(RMW_AUTOMATIC_DISCOVERY_RANGE_NOT_SET, options.automatic_discovery_range);
  ASSERT_EQ(RMW_RET_OK, rmw_discovery_options_init(&options, 2, &allocator));
  EXPECT_EQ(RMW_AUTOMATIC_DISCOVERY_RANGE_LOCALHOST, options.automatic_discovery_range);
  EXPECT_EQ(2u, options.static_peers_count);
  EXPECT_STREQ("", options.static_peers[1].peer_address);
  EXPECT_EQ(RMW_RET_INVALID_ARGUMENT, rmw_discovery_options_init(&options, 2, &allocator));
  rmw_reset_error();
  std::strcpy(options.static_peers[0].peer_address, "10.0.0.1");
  options.automatic_discovery_range = RMW_AUTOMATIC_DISCOVERY_RANGE_OFF;

  rmw_discovery_options_t copy = rmw_get_zero_initialized_discovery_options();
  ASSERT_EQ(RMW_RET_OK, rmw_discovery_options_copy(&options, &allocator, &copy));
  bool equal = false;
  ASSERT_EQ(RMW_RET_OK, rmw_discovery_options_equal(&options, &copy, &equal));
  EXPECT_TRUE(equal);
  copy.automatic_discovery_range = RMW_AUTOMATIC_DISCOVERY_RANGE_SUBNET;
  ASSERT_EQ(RMW_RET_OK, rmw_discovery_options_equal(&options, &copy, &equal));
  EXPECT_FALSE(equal);
  copy.automatic_discovery_range = RMW_AUTOMATIC_DISCOVERY_RANGE_OFF;
  std::strcpy(copy.static_peers[1].peer_address, "b");
  ASSERT_EQ(RMW_RET_OK, rmw_discovery_options_equal(&options, &copy, &equal));
  EXPECT_FALSE(equal);
  EXPECT_EQ(RMW_RET_INVALID_ARGUMENT, rmw_discovery_options_equal(nullptr, &copy, &equal));
  EXPECT_EQ(RMW_RET_OK, rmw_discovery_options_fini(&copy));
  EXPECT_EQ(RMW_RET_OK, rmw_discovery_options_fini(&options));
  EXPECT_EQ(RMW_RET_OK, rmw_discovery_options_fini(&options));
}

TEST_F(Options, Init)
{
  rmw_init_options_t options = rmw_get_zero_initialized_init_options();
  EXPECT_EQ(RMW_DEFAULT_DOMAIN_ID, options.domain_id);
  EXPECT_EQ(RMW_RET_INVALID_ARGUMENT, rmw_init_options_fini(&options));
  rmw_reset_error();
  ASSERT_EQ(RMW_RET_OK, rmw_init_options_init(&options, allocator));
  EXPECT_STREQ(rmw_get_implementation_identifier(), options.implementation_identifier);
  EXPECT_EQ(RMW_RET_INVALID_ARGUMENT, rmw_init_options_init(&options, allocator));
  rmw_reset_error();
  options.domain_id = 5;
  options.instance_id = 6;
  ASSERT_EQ(RMW_RET_OK, rmw_discovery_options_init(&options.discovery_options, 1, &allocator));
  ASSERT_EQ(RMW_RET_OK, rmw_security_options_set_root_path("/keys", &allocator, &options.security_options));

  rmw_init_options_t copy = rmw_get_zero_initialized_init_options();
  ASSERT_EQ(RMW_RET_OK, rmw_init_options_copy(&options, &copy));
  EXPECT_EQ(5u, copy.domain_id);
  EXPECT_EQ(6u, copy.instance_id);
  EXPECT_STREQ("/keys", copy.security_options.security_root_path);
  EXPECT_EQ(1u, copy.discovery_options.static_peers_count);
  EXPECT_EQ(RMW_RET_INVALID_ARGUMENT, rmw_init_options_copy(&options, &copy));
  rmw_reset_error();
  EXPECT_EQ(RMW_RET_OK, rmw_init_options_fini(&copy));
  EXPECT_EQ(RMW_RET_INVALID_ARGUMENT, rmw_init_options_copy(&copy, &copy));
  rmw_reset_error();
  EXPECT_EQ(RMW_RET_OK, rmw_init_options_fini(&options));

  const rmw_context_t context = rmw_get_zero_initialized_context();
  EXPECT_EQ(nullptr, context.impl);
  EXPECT_EQ(nullptr, context.implementation_identifier);
}

TEST_F(Options, ACopyOfInitOptionsThatFailsLeavesNothing)
{
  rmw_init_options_t options = rmw_get_zero_initialized_init_options();
  ASSERT_EQ(RMW_RET_OK, rmw_init_options_init(&options, allocator));
  ASSERT_EQ(RMW_RET_OK, rmw_discovery_options_init(&options.discovery_options, 1, &allocator));
  ASSERT_EQ(RMW_RET_OK, rmw_security_options_set_root_path("/keys", &allocator, &options.security_options));
  for (int allowed = 0; allowed < 2; ++allowed) {
    CountingAllocator few(allowed);
    rmw_init_options_t source = options;
    source.allocator = few.get();
    rmw_init_options_t copy = rmw_get_zero_initialized_init_options();
    EXPECT_EQ(RMW_RET_BAD_ALLOC, rmw_init_options_copy(&source, &copy));
    rmw_reset_error();
    EXPECT_EQ(0, few.live());
    EXPECT_EQ(nullptr, copy.implementation_identifier);
  }
  EXPECT_EQ(RMW_RET_OK, rmw_init_options_fini(&options));
}

TEST_F(Options, ContentFilter)
{
  const char * parameters[] = {"1", "two"};
  rmw_subscription_content_filter_options_t options = rmw_get_zero_initialized_content_filter_options();
  ASSERT_EQ(RMW_RET_OK, rmw_subscription_content_filter_options_init("a = %0", 2, parameters, &allocator, &options));
  EXPECT_STREQ("a = %0", options.filter_expression);
  ASSERT_EQ(2u, options.expression_parameters.size);
  EXPECT_STREQ("two", options.expression_parameters.data[1]);

  rmw_subscription_content_filter_options_t copy = rmw_get_zero_initialized_content_filter_options();
  ASSERT_EQ(RMW_RET_OK, rmw_subscription_content_filter_options_copy(&options, &allocator, &copy));
  EXPECT_STREQ("two", copy.expression_parameters.data[1]);
  // Options may be copied to themselves.
  ASSERT_EQ(RMW_RET_OK, rmw_subscription_content_filter_options_copy(&options, &allocator, &options));
  EXPECT_STREQ("two", options.expression_parameters.data[1]);
  ASSERT_EQ(RMW_RET_OK, rmw_subscription_content_filter_options_set("b", 0, nullptr, &allocator, &copy));
  EXPECT_STREQ("b", copy.filter_expression);
  EXPECT_EQ(0u, copy.expression_parameters.size);
  EXPECT_EQ(RMW_RET_INVALID_ARGUMENT, rmw_subscription_content_filter_options_set("b", 1, nullptr, &allocator, &copy));
  rmw_reset_error();
  EXPECT_EQ(
    RMW_RET_INVALID_ARGUMENT,
    rmw_subscription_content_filter_options_set("b", 101, parameters, &allocator, &copy));
  rmw_reset_error();
  for (int allowed = 0; allowed < 4; ++allowed) {
    CountingAllocator few(allowed);
    rcutils_allocator_t failing = few.get();
    rmw_subscription_content_filter_options_t made = rmw_get_zero_initialized_content_filter_options();
    EXPECT_EQ(RMW_RET_BAD_ALLOC, rmw_subscription_content_filter_options_init("c", 2, parameters, &failing, &made));
    rmw_reset_error();
    EXPECT_EQ(0, few.live()) << allowed;
  }
  EXPECT_EQ(RMW_RET_OK, rmw_subscription_content_filter_options_fini(&copy, &allocator));
  EXPECT_EQ(RMW_RET_OK, rmw_subscription_content_filter_options_fini(&copy, &allocator));
  EXPECT_EQ(RMW_RET_OK, rmw_subscription_content_filter_options_fini(&options, &allocator));
}

TEST_F(Options, Defaults)
{
  const rmw_publisher_options_t publisher = rmw_get_default_publisher_options();
  EXPECT_EQ(RMW_UNIQUE_NETWORK_FLOW_ENDPOINTS_NOT_REQUIRED, publisher.require_unique_network_flow_endpoints);
  EXPECT_EQ(nullptr, publisher.rmw_specific_publisher_payload);
  const rmw_subscription_options_t subscription = rmw_get_default_subscription_options();
  EXPECT_FALSE(subscription.ignore_local_publications);
  EXPECT_EQ(nullptr, subscription.content_filter_options);
}

}  // namespace
