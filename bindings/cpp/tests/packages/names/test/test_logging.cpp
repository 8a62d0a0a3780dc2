// The macros of logs. A handler takes the records.
#include "common.hpp"

#include <cstdarg>
#include <cstdio>

#include "rcutils/logging.h"
#include "rcutils/logging_macros.h"

namespace
{

std::vector<std::string> records;

void keep(
  const rcutils_log_location_t * location, int severity, const char * name, rcutils_time_point_value_t, const char * format,
  va_list * arguments)
{
  if (std::string(name).rfind("names", 0) != 0) {
    return;
  }
  char text[256];
  va_list copy;
  va_copy(copy, *arguments);
  vsnprintf(text, sizeof(text), format, copy);
  va_end(copy);
  EXPECT_NE(location, nullptr);
  records.push_back(std::string(1, g_rcutils_log_severity_names[severity][0]) + " " + name + " " + text);
}

/// A test whose records are kept, with all severities.
class Logs : public ::testing::Test
{
protected:
  Logs()
  {
    records.clear();
    rcutils_logging_set_output_handler(keep);
    EXPECT_EQ(rcutils_logging_set_logger_level("names", RCUTILS_LOG_SEVERITY_DEBUG), RCUTILS_RET_OK);
  }
  ~Logs() override {rcutils_logging_set_output_handler(rcutils_logging_console_output_handler);}

  using Records = std::vector<std::string>;
  rclcpp::Logger logger = rclcpp::get_logger("names");
  rclcpp::Clock clock{RCL_STEADY_TIME};
};

}  // namespace

TEST_F(Logs, each_severity_has_a_macro)
{
  RCLCPP_DEBUG(logger, "%d", 1);
  RCLCPP_INFO(logger, "%d", 2);
  RCLCPP_WARN(logger, "%s", "three");
  RCLCPP_ERROR(logger, "four");
  RCLCPP_FATAL(rclcpp::get_logger("names"), "%.1f", 5.0);
  EXPECT_EQ(records, (Records{"D names 1", "I names 2", "W names three", "E names four", "F names 5.0"}));
}

TEST_F(Logs, streams_format_what_they_get)
{
  RCLCPP_DEBUG_STREAM(logger, "a" << 1);
  RCLCPP_INFO_STREAM(logger, "b" << 2);
  RCLCPP_WARN_STREAM(logger, "c" << 3);
  RCLCPP_ERROR_STREAM(logger, "d" << 4 << "%");
  RCLCPP_FATAL_STREAM(logger, "e" << 5);
  EXPECT_EQ(records, (Records{"D names a1", "I names b2", "W names c3", "E names d4%", "F names e5"}));
}

TEST_F(Logs, once_logs_the_first)
{
  for (int count = 0; count < 3; ++count) {
    RCLCPP_INFO_ONCE(logger, "info %d", count);
    RCLCPP_WARN_ONCE(logger, "warn %d", count);
    RCLCPP_ERROR_ONCE(logger, "error %d", count);
    RCLCPP_DEBUG_STREAM_ONCE(logger, "debug " << count);
    RCLCPP_INFO_STREAM_ONCE(logger, "info " << count);
    RCLCPP_WARN_STREAM_ONCE(logger, "warn " << count);
  }
  EXPECT_EQ(
    records, (Records{
    "I names info 0", "W names warn 0", "E names error 0", "D names debug 0", "I names info 0", "W names warn 0"}));
}

TEST_F(Logs, a_throttle_logs_one_of_many)
{
  auto * node_clock = &clock;
  for (int count = 0; count < 3; ++count) {
    RCLCPP_DEBUG_THROTTLE(logger, *node_clock, 100000, "debug %d", count);
    RCLCPP_INFO_THROTTLE(logger, clock, 100000, "info %d", count);
    RCLCPP_WARN_THROTTLE(logger, clock, 100000, "warn %d", count);
    RCLCPP_ERROR_THROTTLE(logger, clock, 100000, "error %d", count);
    RCLCPP_DEBUG_STREAM_THROTTLE(logger, clock, 100000, "debug " << count);
    RCLCPP_WARN_STREAM_THROTTLE(logger, clock, 100000, "warn " << count);
  }
  EXPECT_EQ(
    records, (Records{
    "D names debug 0", "I names info 0", "W names warn 0", "E names error 0", "D names debug 0", "W names warn 0"}));
}

TEST_F(Logs, a_throttle_may_skip_the_first)
{
  for (int count = 0; count < 3; ++count) {
    RCLCPP_WARN_SKIPFIRST_THROTTLE(logger, clock, 1, "warn %d", count);
    std::this_thread::sleep_for(2ms);
  }
  EXPECT_EQ(records, (Records{"W names warn 1", "W names warn 2"}));
}

TEST_F(Logs, an_expression_decides)
{
  for (int count = 0; count < 2; ++count) {
    RCLCPP_DEBUG_EXPRESSION(logger, count == 1, "debug %d", count);
    RCLCPP_INFO_EXPRESSION(logger, count == 1, "info %d", count);
    RCLCPP_WARN_EXPRESSION(logger, count == 1, "warn %d", count);
    RCLCPP_ERROR_EXPRESSION(logger, count == 1, "error %d", count);
    RCLCPP_WARN_STREAM_EXPRESSION(logger, count == 1, "warn " << count);
  }
  EXPECT_EQ(
    records, (Records{"D names debug 1", "I names info 1", "W names warn 1", "E names error 1", "W names warn 1"}));
}

TEST_F(Logs, a_level_hides_what_is_below)
{
  logger.set_level(rclcpp::Logger::Level::Warn);
  RCLCPP_INFO(logger, "hidden");
  RCLCPP_WARN(logger.get_child("part"), "shown");
  EXPECT_EQ(rcutils_logging_get_logger_level("names"), RCUTILS_LOG_SEVERITY_WARN);
  EXPECT_EQ(rcutils_logging_set_logger_level("names", RCUTILS_LOG_SEVERITY_INFO), RCUTILS_RET_OK);
  RCLCPP_INFO(logger, "info");
  EXPECT_EQ(records, (Records{"W names.part shown", "I names info"}));
}

TEST_F(Logs, macros_of_c_name_their_logger)
{
  RCUTILS_LOG_DEBUG_NAMED("names", "%d", 1);
  RCUTILS_LOG_INFO_NAMED("names.c", "%d", 2);
  RCUTILS_LOG_WARN_NAMED("names", "%d", 3);
  RCUTILS_LOG_ERROR_NAMED("names", "%d", 4);
  RCUTILS_LOG_ERROR("without a name, %d", 5);
  EXPECT_EQ(records, (Records{"D names 1", "I names.c 2", "W names 3", "E names 4"}));
}
