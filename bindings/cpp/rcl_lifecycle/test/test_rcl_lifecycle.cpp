#include <gtest/gtest.h>

#include "rcl/error_handling.h"
#include "rcl_lifecycle/rcl_lifecycle.h"
#include "rcl_lifecycle/version.h"

namespace
{

TEST(RclLifecycle, Labels)
{
  EXPECT_STREQ("configure", rcl_lifecycle_configure_label);
  EXPECT_STREQ("cleanup", rcl_lifecycle_cleanup_label);
  EXPECT_STREQ("activate", rcl_lifecycle_activate_label);
  EXPECT_STREQ("deactivate", rcl_lifecycle_deactivate_label);
  EXPECT_STREQ("shutdown", rcl_lifecycle_shutdown_label);
  EXPECT_STREQ("transition_success", rcl_lifecycle_transition_success_label);
  EXPECT_STREQ("transition_failure", rcl_lifecycle_transition_failure_label);
  EXPECT_STREQ("transition_error", rcl_lifecycle_transition_error_label);
}

TEST(RclLifecycle, TransitionsOfAState)
{
  rcl_lifecycle_transition_t transitions[2] = {
    {rcl_lifecycle_configure_label, 1, nullptr, nullptr}, {rcl_lifecycle_shutdown_label, 5, nullptr, nullptr}};
  const rcl_lifecycle_state_t state = {"unconfigured", 1, transitions, 2};
  EXPECT_EQ(&transitions[1], rcl_lifecycle_get_transition_by_id(&state, 5));
  EXPECT_EQ(nullptr, rcl_lifecycle_get_transition_by_id(&state, 2));
  EXPECT_EQ(&transitions[0], rcl_lifecycle_get_transition_by_label(&state, "configure"));
  EXPECT_EQ(nullptr, rcl_lifecycle_get_transition_by_label(&state, "activate"));
  EXPECT_EQ(nullptr, rcl_lifecycle_get_transition_by_id(nullptr, 1));
  rcl_reset_error();
}

TEST(RclLifecycle, Defaults)
{
  const rcl_lifecycle_state_machine_options_t options = rcl_lifecycle_get_default_state_machine_options();
  EXPECT_TRUE(options.initialize_default_states);
  EXPECT_TRUE(options.enable_com_interface);
  EXPECT_EQ(nullptr, rcl_lifecycle_get_zero_initialized_state_machine().current_state);
  EXPECT_EQ(0u, rcl_lifecycle_get_zero_initialized_transition_map().states_size);
  EXPECT_EQ(0, rcl_lifecycle_get_zero_initialized_state().id);
  EXPECT_EQ(nullptr, rcl_lifecycle_get_zero_initialized_transition().goal);
  EXPECT_TRUE(RCL_LIFECYCLE_VERSION_GTE(9, 2, 7));
}

}  // namespace
