#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "tracetools/tracetools.h"
#include "tracetools/utils.hpp"
#include "tracetools/version.h"

namespace
{

TEST(Tracetools, tracepoints_do_nothing)
{
  int evaluations = 0;
  TRACETOOLS_TRACEPOINT(rclcpp_publish, ++evaluations);
  TRACETOOLS_DO_TRACEPOINT(rclcpp_publish, ++evaluations);
  TRACEPOINT(rclcpp_publish, ++evaluations);
  TRACEPOINT(callback_end);
  if (TRACETOOLS_TRACEPOINT_ENABLED(rclcpp_publish) || TRACEPOINT_ENABLED(rclcpp_publish)) {
    ++evaluations;
  }
  EXPECT_EQ(0, evaluations);
}

TEST(Tracetools, callbacks_have_a_name_that_the_caller_frees)
{
  char * symbol = tracetools::get_symbol(std::function<void ()>());
  EXPECT_STREQ("UNKNOWN", symbol);
  std::free(symbol);
}

TEST(Tracetools, version)
{
  EXPECT_TRUE(TRACETOOLS_VERSION_GTE(8, 2, 0));
  EXPECT_FALSE(TRACETOOLS_VERSION_GTE(9, 0, 0));
}

}  // namespace
