#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>

#include "failing_allocator.hpp"
#include "rcutils/strdup.h"
#include "rmw/allocators.h"
#include "rmw/check_type_identifiers_match.h"
#include "rmw/convert_rcutils_ret_to_rmw_ret.h"
#include "rmw/error_handling.h"
#include "rmw/event.h"
#include "rmw/features.h"
#include "rmw/message_sequence.h"
#include "rmw/names_and_types.h"
#include "rmw/network_flow_endpoint_array.h"
#include "rmw/qos_profiles.h"
#include "rmw/rmw.h"
#include "rmw/sanity_checks.h"
#include "rmw/time.h"
#include "rmw/topic_endpoint_info_array.h"

namespace
{

/// Each test frees all memory.
class Types : public ::testing::Test
{
protected:
  void TearDown() override
  {
    EXPECT_EQ(0, counter.live());
    rmw_reset_error();
  }

  CountingAllocator counter;
  rcutils_allocator_t allocator = counter.get();
  CountingAllocator none{0};
  rcutils_allocator_t failing = none.get();
};

TEST_F(Types, Times)
{
  EXPECT_EQ(2500000000, rmw_time_total_nsec({2, 500000000}));
  EXPECT_EQ(2500000000, rmw_time_total_nsec({0, 2500000000}));
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(most, rmw_time_total_nsec(RMW_DURATION_INFINITE));
  EXPECT_EQ(most, rmw_time_total_nsec({UINT64_MAX, 0}));
  EXPECT_EQ(most, rmw_time_total_nsec({1, UINT64_MAX}));
  EXPECT_EQ(most - 1, rmw_time_total_nsec({9223372036, 854775806}));
  EXPECT_EQ(most, rmw_time_total_nsec({9223372036, 854775808}));
  EXPECT_TRUE(rmw_time_equal({1, 0}, {0, 1000000000}));
  EXPECT_FALSE(rmw_time_equal({1, 0}, {0, 999999999}));
  EXPECT_TRUE(rmw_time_equal({UINT64_MAX, 0}, RMW_DURATION_INFINITE));
  const rmw_time_t time = rmw_time_normalize({1, 2500000001});
  EXPECT_EQ(3u, time.sec);
  EXPECT_EQ(500000001u, time.nsec);
  const rmw_time_t from = rmw_time_from_nsec(1500000000);
  EXPECT_EQ(1u, from.sec);
  EXPECT_EQ(500000000u, from.nsec);
  const rmw_time_t negative = rmw_time_from_nsec(-1);
  EXPECT_EQ(9223372036u, negative.sec);
  EXPECT_EQ(854775807u, negative.nsec);
}

TEST_F(Types, ReturnCodes)
{
  EXPECT_EQ(RMW_RET_OK, rmw_convert_rcutils_ret_to_rmw_ret(RCUTILS_RET_OK));
  EXPECT_EQ(RMW_RET_BAD_ALLOC, rmw_convert_rcutils_ret_to_rmw_ret(RCUTILS_RET_BAD_ALLOC));
  EXPECT_EQ(RMW_RET_INVALID_ARGUMENT, rmw_convert_rcutils_ret_to_rmw_ret(RCUTILS_RET_INVALID_ARGUMENT));
  EXPECT_EQ(RMW_RET_ERROR, rmw_convert_rcutils_ret_to_rmw_ret(RCUTILS_RET_ERROR));
  EXPECT_EQ(RMW_RET_ERROR, rmw_convert_rcutils_ret_to_rmw_ret(99));
  EXPECT_EQ(203, RMW_RET_NODE_NAME_NON_EXISTENT);
}

TEST_F(Types, NamesAndTypes)
{
  rmw_names_and_types_t result = rmw_get_zero_initialized_names_and_types();
  EXPECT_EQ(RMW_RET_OK, rmw_names_and_types_check_zero(&result));
  EXPECT_EQ(RMW_RET_BAD_ALLOC, rmw_names_and_types_init(&result, 1, &failing));
  rmw_reset_error();
  ASSERT_EQ(RMW_RET_OK, rmw_names_and_types_init(&result, 2, &allocator));
  EXPECT_EQ(RMW_RET_INVALID_ARGUMENT, rmw_names_and_types_check_zero(&result));
  rmw_reset_error();
  result.names.data[0] = rcutils_strdup("/chatter", allocator);
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_string_array_init(&result.types[0], 1, &allocator));
  result.types[0].data[0] = rcutils_strdup("std_msgs/msg/String", allocator);
  EXPECT_EQ(RMW_RET_OK, rmw_names_and_types_fini(&result));
  EXPECT_EQ(RMW_RET_OK, rmw_names_and_types_check_zero(&result));
  EXPECT_EQ(RMW_RET_OK, rmw_names_and_types_fini(&result));

  rcutils_string_array_t array = rcutils_get_zero_initialized_string_array();
  EXPECT_EQ(RMW_RET_OK, rmw_check_zero_rmw_string_array(&array));
  array.size = 1;
  EXPECT_EQ(RMW_RET_ERROR, rmw_check_zero_rmw_string_array(&array));
}

TEST_F(Types, EndpointInfo)
{
  rmw_topic_endpoint_info_array_t array = rmw_get_zero_initialized_topic_endpoint_info_array();
  EXPECT_EQ(RMW_RET_OK, rmw_topic_endpoint_info_array_check_zero(&array));
  EXPECT_EQ(RMW_RET_BAD_ALLOC, rmw_topic_endpoint_info_array_init_with_size(&array, 1, &failing));
  rmw_reset_error();
  ASSERT_EQ(RMW_RET_OK, rmw_topic_endpoint_info_array_init_with_size(&array, 2, &allocator));
  EXPECT_EQ(RMW_RET_ERROR, rmw_topic_endpoint_info_array_check_zero(&array));
  rmw_reset_error();
  rmw_topic_endpoint_info_t * info = &array.info_array[0];
  ASSERT_EQ(RMW_RET_OK, rmw_topic_endpoint_info_set_topic_type(info, "std_msgs/msg/String", &allocator));
  ASSERT_EQ(RMW_RET_OK, rmw_topic_endpoint_info_set_node_name(info, "node", &allocator));
  ASSERT_EQ(RMW_RET_OK, rmw_topic_endpoint_info_set_node_namespace(info, "/ns", &allocator));
  ASSERT_EQ(RMW_RET_OK, rmw_topic_endpoint_info_set_endpoint_type(info, RMW_ENDPOINT_SUBSCRIPTION));
  ASSERT_EQ(RMW_RET_OK, rmw_topic_endpoint_info_set_qos_profile(info, &rmw_qos_profile_sensor_data));
  rosidl_type_hash_t hash = {1, {2, 3}};
  ASSERT_EQ(RMW_RET_OK, rmw_topic_endpoint_info_set_topic_type_hash(info, &hash));
  uint8_t gid[RMW_GID_STORAGE_SIZE + 1];
  std::memset(gid, 9, sizeof(gid));
  ASSERT_EQ(RMW_RET_OK, rmw_topic_endpoint_info_set_gid(info, gid, RMW_GID_STORAGE_SIZE));
  EXPECT_EQ(9, info->endpoint_gid[15]);
  ASSERT_EQ(RMW_RET_OK, rmw_topic_endpoint_info_set_gid(info, gid, 8));
  EXPECT_EQ(9, info->endpoint_gid[7]);
  EXPECT_EQ(0, info->endpoint_gid[8]);
  EXPECT_EQ(RMW_RET_INVALID_ARGUMENT, rmw_topic_endpoint_info_set_gid(info, gid, sizeof(gid)));
  rmw_reset_error();
  EXPECT_EQ(RMW_RET_INVALID_ARGUMENT, rmw_topic_endpoint_info_set_node_name(info, nullptr, &allocator));
  rmw_reset_error();
  EXPECT_STREQ("std_msgs/msg/String", info->topic_type);
  EXPECT_STREQ("node", info->node_name);
  EXPECT_STREQ("/ns", info->node_namespace);
  EXPECT_EQ(RMW_ENDPOINT_SUBSCRIPTION, info->endpoint_type);
  EXPECT_EQ(5u, info->qos_profile.depth);
  EXPECT_EQ(3, info->topic_type_hash.value[1]);
  EXPECT_EQ(RMW_RET_OK, rmw_topic_endpoint_info_array_fini(&array, &allocator));
  EXPECT_EQ(nullptr, array.info_array);
}

TEST_F(Types, Sequences)
{
  rmw_message_sequence_t messages = rmw_get_zero_initialized_message_sequence();
  ASSERT_EQ(RMW_RET_OK, rmw_message_sequence_init(&messages, 3, &allocator));
  EXPECT_EQ(0u, messages.size);
  EXPECT_EQ(3u, messages.capacity);
  EXPECT_EQ(RMW_RET_OK, rmw_message_sequence_fini(&messages));
  EXPECT_EQ(RMW_RET_OK, rmw_message_sequence_fini(&messages));
  EXPECT_EQ(RMW_RET_BAD_ALLOC, rmw_message_sequence_init(&messages, 1, &failing));
  rmw_reset_error();
  rmw_message_info_sequence_t infos = rmw_get_zero_initialized_message_info_sequence();
  ASSERT_EQ(RMW_RET_OK, rmw_message_info_sequence_init(&infos, 2, &allocator));
  EXPECT_EQ(2u, infos.capacity);
  EXPECT_EQ(RMW_RET_OK, rmw_message_info_sequence_fini(&infos));
  EXPECT_EQ(RMW_RET_INVALID_ARGUMENT, rmw_message_info_sequence_fini(nullptr));
}

TEST_F(Types, NetworkFlowEndpoints)
{
  EXPECT_STREQ("UDP", rmw_network_flow_endpoint_get_transport_protocol_string(RMW_TRANSPORT_PROTOCOL_UDP));
  EXPECT_STREQ("Unknown", rmw_network_flow_endpoint_get_transport_protocol_string(RMW_TRANSPORT_PROTOCOL_COUNT));
  EXPECT_STREQ("IPv6", rmw_network_flow_endpoint_get_internet_protocol_string(RMW_INTERNET_PROTOCOL_IPV6));
  rmw_network_flow_endpoint_array_t array = rmw_get_zero_initialized_network_flow_endpoint_array();
  EXPECT_EQ(RMW_RET_OK, rmw_network_flow_endpoint_array_check_zero(&array));
  ASSERT_EQ(RMW_RET_OK, rmw_network_flow_endpoint_array_init(&array, 2, &allocator));
  EXPECT_EQ(RMW_RET_ERROR, rmw_network_flow_endpoint_array_check_zero(&array));
  rmw_reset_error();
  rmw_network_flow_endpoint_t * endpoint = &array.network_flow_endpoint[1];
  ASSERT_EQ(RMW_RET_OK, rmw_network_flow_endpoint_set_internet_address(endpoint, "127.0.0.1", 9));
  EXPECT_STREQ("127.0.0.1", endpoint->internet_address);
  ASSERT_EQ(RMW_RET_OK, rmw_network_flow_endpoint_set_internet_address(endpoint, "::1 rest", 3));
  EXPECT_STREQ("::1", endpoint->internet_address);
  EXPECT_EQ(RMW_RET_INVALID_ARGUMENT, rmw_network_flow_endpoint_set_internet_address(endpoint, "x", 48));
  rmw_reset_error();
  EXPECT_EQ(RMW_RET_OK, rmw_network_flow_endpoint_array_fini(&array));
  EXPECT_EQ(RMW_RET_INVALID_ARGUMENT, rmw_network_flow_endpoint_array_fini(&array));
}

TEST_F(Types, Gids)
{
  rmw_gid_t first = {rmw_get_implementation_identifier(), {1, 2, 3}};
  rmw_gid_t second = first;
  bool equal = false;
  ASSERT_EQ(RMW_RET_OK, rmw_compare_gids_equal(&first, &second, &equal));
  EXPECT_TRUE(equal);
  second.data[15] = 1;
  ASSERT_EQ(RMW_RET_OK, rmw_compare_gids_equal(&first, &second, &equal));
  EXPECT_FALSE(equal);
  second.implementation_identifier = "other";
  EXPECT_EQ(RMW_RET_INCORRECT_RMW_IMPLEMENTATION, rmw_compare_gids_equal(&first, &second, &equal));
  rmw_reset_error();
  second.implementation_identifier = nullptr;
  EXPECT_EQ(RMW_RET_INCORRECT_RMW_IMPLEMENTATION, rmw_compare_gids_equal(&first, &second, &equal));
  rmw_reset_error();
  EXPECT_EQ(RMW_RET_INVALID_ARGUMENT, rmw_compare_gids_equal(nullptr, &second, &equal));
}

TEST_F(Types, Constants)
{
  EXPECT_STREQ("rmw_saltus_cpp", rmw_get_implementation_identifier());
  EXPECT_STREQ("cdr", rmw_get_serialization_format());
  EXPECT_TRUE(rmw_feature_supported(RMW_FEATURE_MESSAGE_INFO_RECEPTION_SEQUENCE_NUMBER));
  EXPECT_FALSE(rmw_feature_supported(RMW_MIDDLEWARE_CAN_TAKE_DYNAMIC_MESSAGE));
  EXPECT_EQ(RMW_EVENT_INVALID, rmw_get_zero_initialized_event().event_type);
  EXPECT_EQ(11, RMW_EVENT_INVALID);
  EXPECT_EQ(5, RMW_EVENT_SUBSCRIPTION_MATCHED);
  EXPECT_EQ(0u, rmw_get_zero_initialized_message_info().publication_sequence_number);
  EXPECT_EQ(24u, sizeof(rmw_request_id_t));
  EXPECT_EQ(24u, sizeof(rmw_gid_t));
  EXPECT_EQ(88u, sizeof(rmw_qos_profile_t));
}

TEST_F(Types, Allocators)
{
  rmw_node_t * node = rmw_node_allocate();
  ASSERT_NE(nullptr, node);
  rmw_node_free(node);
  rmw_subscription_t * subscription = rmw_subscription_allocate();
  ASSERT_NE(nullptr, subscription);
  rmw_subscription_free(subscription);
  rmw_free(rmw_allocate(3));
  rmw_free(nullptr);
}

}  // namespace
