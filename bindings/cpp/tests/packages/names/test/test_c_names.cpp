// The C names of rcl, rmw and rcutils.
#include "common.hpp"

#include "rcl/service_introspection.h"
#include "rcl/time.h"
#include "rclcpp/version.h"
#include "rcutils/cmdline_parser.h"
#include "rcutils/error_handling.h"
#include "rcutils/filesystem.h"
#include "rcutils/time.h"
#include "rmw/qos_profiles.h"
#include "rmw/rmw.h"
#include "rmw/types.h"
#include "std_srvs/srv/trigger.hpp"

namespace
{

class Names : public WithNode {};

}  // namespace

TEST(Versions, this_is_jazzy)
{
#if RCLCPP_VERSION_GTE(28, 1, 0) && RCLCPP_VERSION_MAJOR == 28
  SUCCEED();
#else
  FAIL() << RCLCPP_VERSION_STR;
#endif
}

TEST(Profiles, they_have_their_policies)
{
  rmw_qos_profile_t profile = rmw_qos_profile_default;
  EXPECT_EQ(profile.history, RMW_QOS_POLICY_HISTORY_KEEP_LAST);
  EXPECT_EQ(profile.depth, 10u);
  EXPECT_EQ(profile.reliability, RMW_QOS_POLICY_RELIABILITY_RELIABLE);
  EXPECT_EQ(profile.durability, RMW_QOS_POLICY_DURABILITY_VOLATILE);
  EXPECT_EQ(rmw_qos_profile_sensor_data.reliability, RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT);
  EXPECT_EQ(rmw_qos_profile_services_default.depth, 10u);
  EXPECT_EQ(rmw_qos_profile_parameters.depth, 1000u);
  EXPECT_EQ(rmw_qos_profile_system_default.reliability, RMW_QOS_POLICY_RELIABILITY_SYSTEM_DEFAULT);
}

TEST(Profiles, a_profile_of_a_program_is_taken)
{
  const rmw_qos_profile_t profile = {
    RMW_QOS_POLICY_HISTORY_KEEP_ALL, 1, RMW_QOS_POLICY_RELIABILITY_RELIABLE, RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL,
    RMW_QOS_DEADLINE_DEFAULT, RMW_QOS_LIFESPAN_DEFAULT, RMW_QOS_POLICY_LIVELINESS_SYSTEM_DEFAULT,
    RMW_QOS_LIVELINESS_LEASE_DURATION_DEFAULT, false};
  const rclcpp::QoS qos(rclcpp::QoSInitialization::from_rmw(profile), profile);
  const rmw_qos_history_policy_t history = qos.get_rmw_qos_profile().history;
  const rmw_qos_reliability_policy_t reliability = qos.get_rmw_qos_profile().reliability;
  const rmw_qos_durability_policy_t durability = qos.get_rmw_qos_profile().durability;
  EXPECT_EQ(history, RMW_QOS_POLICY_HISTORY_KEEP_ALL);
  EXPECT_EQ(reliability, RMW_QOS_POLICY_RELIABILITY_RELIABLE);
  EXPECT_EQ(durability, RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL);
}

TEST(Clocks, the_system_has_a_time)
{
  rcutils_time_point_value_t now = 0;
  const rcutils_ret_t result = rcutils_system_time_now(&now);
  ASSERT_EQ(result, RCUTILS_RET_OK);
  const rcutils_duration_value_t difference = std::chrono::nanoseconds(10s).count();
  EXPECT_LT(now - std::chrono::system_clock::now().time_since_epoch().count(), difference);
  EXPECT_EQ(rclcpp::Clock(RCL_STEADY_TIME).get_clock_type(), RCL_STEADY_TIME);
  EXPECT_EQ(rclcpp::Clock(RCL_SYSTEM_TIME).get_clock_type(), RCL_SYSTEM_TIME);
  EXPECT_NE(RCL_CLOCK_UNINITIALIZED, RCL_ROS_TIME);
}

TEST(Errors, the_last_one_has_a_text)
{
  RCUTILS_SET_ERROR_MSG("on purpose");
  EXPECT_NE(std::string(rcutils_get_error_string().str).find("on purpose"), std::string::npos);
  rcutils_reset_error();
  EXPECT_EQ(std::string(rcutils_get_error_string().str).find("on purpose"), std::string::npos);
}

TEST(Arguments, options_are_found)
{
  char program[] = "program";
  char flag[] = "-t";
  char value[] = "topic";
  char * arguments[] = {program, flag, value};
  EXPECT_TRUE(rcutils_cli_option_exist(arguments, arguments + 3, "-t"));
  EXPECT_STREQ(rcutils_cli_get_option(arguments, arguments + 3, "-t"), "topic");
  EXPECT_TRUE(rcutils_exists("/"));
}

TEST(Results, success_is_zero)
{
  const rcl_ret_t of_rcl = RCL_RET_OK;
  const rmw_ret_t of_rmw = RMW_RET_OK;
  EXPECT_EQ(of_rcl, of_rmw);
}

TEST_F(Names, messages_are_serialized)
{
  const Text message = text("bytes");
  rclcpp::SerializedMessage holder;
  rmw_serialized_message_t & serialized = holder.get_rcl_serialized_message();
  const auto * support = rosidl_typesupport_cpp::get_message_type_support_handle<Text>();
  ASSERT_EQ(rmw_serialize(&message, support, &serialized), RMW_RET_OK);
  Text read;
  ASSERT_EQ(rmw_deserialize(&serialized, support, &read), RMW_RET_OK);
  EXPECT_EQ(read.data, "bytes");
  const rcl_serialized_message_t & same = serialized;
  EXPECT_EQ(same.buffer_length, holder.size());
}

TEST_F(Names, a_request_has_a_number)
{
  int64_t number = 0;
  auto service = node->create_service<std_srvs::srv::Trigger>(
    "start", [&](
      const std::shared_ptr<rmw_request_id_t> header, std_srvs::srv::Trigger::Request::SharedPtr,
      std_srvs::srv::Trigger::Response::SharedPtr) {number = header->sequence_number;});
  auto client = node->create_client<std_srvs::srv::Trigger>("start");
  ASSERT_TRUE(client->wait_for_service(10s));
  auto future = client->async_send_request(std::make_shared<std_srvs::srv::Trigger::Request>());
  EXPECT_EQ(rclcpp::spin_until_future_complete(node, future, 10s), rclcpp::FutureReturnCode::SUCCESS);
  EXPECT_EQ(number, future.request_id);
}
