#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "rcl/error_handling.h"
#include "rcl_action/rcl_action.h"
#include "rcl_action/version.h"

namespace
{

rcl_action_goal_info_t some_goal()
{
  rcl_action_goal_info_t info = rcl_action_get_zero_initialized_goal_info();
  info.goal_id.uuid[3] = 5;
  info.stamp.sec = 7;
  return info;
}

TEST(RclAction, DefaultOptions)
{
  const rcl_action_server_options_t server = rcl_action_server_get_default_options();
  EXPECT_EQ(10000000000, server.result_timeout.nanoseconds);
  EXPECT_EQ(10u, server.goal_service_qos.depth);
  EXPECT_EQ(10u, server.cancel_service_qos.depth);
  EXPECT_EQ(10u, server.result_service_qos.depth);
  EXPECT_EQ(10u, server.feedback_topic_qos.depth);
  EXPECT_EQ(RMW_QOS_POLICY_DURABILITY_VOLATILE, server.feedback_topic_qos.durability);
  EXPECT_EQ(1u, server.status_topic_qos.depth);
  EXPECT_EQ(RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL, server.status_topic_qos.durability);
  EXPECT_EQ(RMW_QOS_POLICY_RELIABILITY_RELIABLE, server.status_topic_qos.reliability);
  EXPECT_TRUE(rcutils_allocator_is_valid(&server.allocator));
  const rcl_action_client_options_t client = rcl_action_client_get_default_options();
  EXPECT_EQ(10u, client.goal_service_qos.depth);
  EXPECT_EQ(1u, client.status_topic_qos.depth);
  EXPECT_EQ(nullptr, rcl_action_get_zero_initialized_client().impl);
  EXPECT_EQ(nullptr, rcl_action_get_zero_initialized_server().impl);
  EXPECT_TRUE(RCL_ACTION_VERSION_GTE(9, 2, 0));
}

TEST(RclAction, StateMachine)
{
  // For each state: the state after EXECUTE, CANCEL_GOAL, SUCCEED, ABORT, CANCELED.
  const int8_t expected[7][5] = {
    {0, 0, 0, 0, 0}, {2, 3, 0, 0, 0}, {0, 3, 4, 6, 0}, {0, 0, 4, 6, 5}, {0, 0, 0, 0, 0}, {0, 0, 0, 0, 0},
    {0, 0, 0, 0, 0}};
  for (int8_t state = 0; state < GOAL_STATE_NUM_STATES; ++state) {
    for (int event = 0; event < GOAL_EVENT_NUM_EVENTS; ++event) {
      EXPECT_EQ(
        expected[state][event],
        rcl_action_transition_goal_state(state, static_cast<rcl_action_goal_event_t>(event)));
    }
  }
  EXPECT_EQ(GOAL_STATE_UNKNOWN, rcl_action_transition_goal_state(-1, GOAL_EVENT_EXECUTE));
  EXPECT_EQ(GOAL_STATE_UNKNOWN, rcl_action_transition_goal_state(1, GOAL_EVENT_NUM_EVENTS));
}

TEST(RclAction, GoalHandle)
{
  const rcl_action_goal_info_t info = some_goal();
  const rcl_allocator_t allocator = rcl_get_default_allocator();
  rcl_action_goal_handle_t handle = rcl_action_get_zero_initialized_goal_handle();
  EXPECT_FALSE(rcl_action_goal_handle_is_valid(&handle));
  rcl_reset_error();
  EXPECT_EQ(RCL_RET_ACTION_GOAL_HANDLE_INVALID, rcl_action_update_goal_state(&handle, GOAL_EVENT_EXECUTE));
  rcl_reset_error();
  ASSERT_EQ(RCL_RET_OK, rcl_action_goal_handle_init(&handle, &info, allocator));
  EXPECT_EQ(RCL_RET_ALREADY_INIT, rcl_action_goal_handle_init(&handle, &info, allocator));
  rcl_reset_error();
  rcl_action_goal_info_t read;
  ASSERT_EQ(RCL_RET_OK, rcl_action_goal_handle_get_info(&handle, &read));
  EXPECT_TRUE(uuidcmp(info.goal_id.uuid, read.goal_id.uuid));
  EXPECT_EQ(7, read.stamp.sec);
  rcl_action_goal_state_t state;
  ASSERT_EQ(RCL_RET_OK, rcl_action_goal_handle_get_status(&handle, &state));
  EXPECT_EQ(GOAL_STATE_ACCEPTED, state);
  EXPECT_TRUE(rcl_action_goal_handle_is_active(&handle));
  EXPECT_TRUE(rcl_action_goal_handle_is_cancelable(&handle));
  EXPECT_EQ(RCL_RET_ACTION_GOAL_EVENT_INVALID, rcl_action_update_goal_state(&handle, GOAL_EVENT_SUCCEED));
  rcl_reset_error();
  ASSERT_EQ(RCL_RET_OK, rcl_action_update_goal_state(&handle, GOAL_EVENT_EXECUTE));
  ASSERT_EQ(RCL_RET_OK, rcl_action_update_goal_state(&handle, GOAL_EVENT_CANCEL_GOAL));
  EXPECT_FALSE(rcl_action_goal_handle_is_cancelable(&handle));
  EXPECT_TRUE(rcl_action_goal_handle_is_active(&handle));
  ASSERT_EQ(RCL_RET_OK, rcl_action_update_goal_state(&handle, GOAL_EVENT_CANCELED));
  EXPECT_FALSE(rcl_action_goal_handle_is_active(&handle));
  ASSERT_EQ(RCL_RET_OK, rcl_action_goal_handle_get_status(&handle, &state));
  EXPECT_EQ(GOAL_STATE_CANCELED, state);
  EXPECT_EQ(RCL_RET_OK, rcl_action_goal_handle_fini(&handle));
  EXPECT_EQ(RCL_RET_OK, rcl_action_goal_handle_fini(&handle));
  EXPECT_EQ(RCL_RET_ACTION_GOAL_HANDLE_INVALID, rcl_action_goal_handle_fini(nullptr));
  rcl_reset_error();
}

TEST(RclAction, Names)
{
  using Function = rcl_ret_t (*)(const char *, rcl_allocator_t, char **);
  const rcl_allocator_t allocator = rcl_get_default_allocator();
  const auto get = [&](Function function, const char * action) {
      char * name = nullptr;
      const rcl_ret_t ret = function(action, allocator, &name);
      const std::string text = ret == RCL_RET_OK ? name : "error " + std::to_string(ret);
      allocator.deallocate(name, allocator.state);
      rcl_reset_error();
      return text;
    };
  EXPECT_EQ("/fib/_action/send_goal", get(rcl_action_get_goal_service_name, "/fib"));
  EXPECT_EQ("/fib/_action/cancel_goal", get(rcl_action_get_cancel_service_name, "/fib"));
  EXPECT_EQ("/fib/_action/get_result", get(rcl_action_get_result_service_name, "/fib"));
  EXPECT_EQ("/fib/_action/feedback", get(rcl_action_get_feedback_topic_name, "/fib"));
  EXPECT_EQ("fib/_action/status", get(rcl_action_get_status_topic_name, "fib"));
  EXPECT_EQ("error 2000", get(rcl_action_get_goal_service_name, ""));
  EXPECT_EQ("error 11", get(rcl_action_get_goal_service_name, nullptr));
  char text[] = "used";
  char * name = text;
  EXPECT_EQ(RCL_RET_INVALID_ARGUMENT, rcl_action_get_goal_service_name("fib", allocator, &name));
  rcl_reset_error();
}

TEST(RclAction, Arrays)
{
  const rcl_allocator_t allocator = rcl_get_default_allocator();
  rcl_action_goal_status_array_t statuses = rcl_action_get_zero_initialized_goal_status_array();
  EXPECT_EQ(RCL_RET_INVALID_ARGUMENT, rcl_action_goal_status_array_init(&statuses, 0, allocator));
  rcl_reset_error();
  ASSERT_EQ(RCL_RET_OK, rcl_action_goal_status_array_init(&statuses, 3, allocator));
  EXPECT_EQ(3u, statuses.msg.status_list.size);
  EXPECT_EQ(GOAL_STATE_UNKNOWN, statuses.msg.status_list.data[2].status);
  EXPECT_EQ(RCL_RET_ALREADY_INIT, rcl_action_goal_status_array_init(&statuses, 3, allocator));
  rcl_reset_error();
  EXPECT_EQ(RCL_RET_OK, rcl_action_goal_status_array_fini(&statuses));
  EXPECT_EQ(RCL_RET_OK, rcl_action_goal_status_array_fini(&statuses));

  rcl_action_cancel_response_t response = rcl_action_get_zero_initialized_cancel_response();
  ASSERT_EQ(RCL_RET_OK, rcl_action_cancel_response_init(&response, 2, allocator));
  EXPECT_EQ(2u, response.msg.goals_canceling.size);
  EXPECT_EQ(0, response.msg.return_code);
  EXPECT_EQ(RCL_RET_OK, rcl_action_cancel_response_fini(&response));
  EXPECT_EQ(RCL_RET_INVALID_ARGUMENT, rcl_action_cancel_response_fini(nullptr));
  rcl_reset_error();
}

}  // namespace
