// Compiled with a minimum severity: lower macros become nothing.
#define RCUTILS_LOG_MIN_SEVERITY RCUTILS_LOG_MIN_SEVERITY_WARN
#include "rcutils/logging_macros.h"

#include "logging_fixture.hpp"

namespace
{

TEST_F(Logging, the_minimum_severity_removes_code)
{
  rcutils_logging_set_default_logger_level(RCUTILS_LOG_SEVERITY_DEBUG);
  RCUTILS_LOG_DEBUG_NAMED("a", "%s", name_that_does_not_exist);
  RCUTILS_LOG_INFO_ONCE("x");
  RCUTILS_LOG_WARN_EXPRESSION(true, "y");
  const auto messages = take();
  ASSERT_EQ(1u, messages.size());
  EXPECT_EQ("y", messages[0].text);
}

}  // namespace
