#include <atomic>
#include <thread>

#include "c_user.h"
#include "logging_fixture.hpp"
#include "rcutils/logging_macros.h"
#include "rcutils/saltus_logging.h"

namespace
{

int effective(const char * name) {return rcutils_logging_get_logger_effective_level(name);}

TEST_F(Logging, levels_follow_the_hierarchy)
{
  EXPECT_EQ(RCUTILS_LOG_SEVERITY_INFO, rcutils_logging_get_default_logger_level());
  EXPECT_EQ(RCUTILS_LOG_SEVERITY_INFO, effective("a.b.c"));
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_logging_set_logger_level("a", RCUTILS_LOG_SEVERITY_WARN));
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_logging_set_logger_level("a.b", RCUTILS_LOG_SEVERITY_DEBUG));
  EXPECT_EQ(RCUTILS_LOG_SEVERITY_WARN, effective("a"));
  EXPECT_EQ(RCUTILS_LOG_SEVERITY_WARN, effective("a.x.y"));
  EXPECT_EQ(RCUTILS_LOG_SEVERITY_DEBUG, effective("a.b"));
  EXPECT_EQ(RCUTILS_LOG_SEVERITY_DEBUG, effective("a.b.c"));
  EXPECT_EQ(RCUTILS_LOG_SEVERITY_INFO, effective("ab"));
  EXPECT_EQ(RCUTILS_LOG_SEVERITY_INFO, effective("b"));
  EXPECT_EQ(RCUTILS_LOG_SEVERITY_UNSET, rcutils_logging_get_logger_level("a.b.c"));
  EXPECT_EQ(RCUTILS_LOG_SEVERITY_DEBUG, rcutils_logging_get_logger_level("a.b"));
  EXPECT_EQ(RCUTILS_LOG_SEVERITY_WARN, rcutils_logging_get_logger_leveln("abc", 1));
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_logging_set_logger_level("a.b", RCUTILS_LOG_SEVERITY_UNSET));
  EXPECT_EQ(RCUTILS_LOG_SEVERITY_WARN, effective("a.b.c"));
}

TEST_F(Logging, the_default_level)
{
  rcutils_logging_set_default_logger_level(RCUTILS_LOG_SEVERITY_ERROR);
  EXPECT_EQ(RCUTILS_LOG_SEVERITY_ERROR, effective("x"));
  EXPECT_EQ(RCUTILS_LOG_SEVERITY_ERROR, effective(""));
  EXPECT_EQ(RCUTILS_LOG_SEVERITY_ERROR, rcutils_logging_get_logger_level(""));
  EXPECT_FALSE(rcutils_logging_logger_is_enabled_for(nullptr, RCUTILS_LOG_SEVERITY_WARN));
  EXPECT_TRUE(rcutils_logging_logger_is_enabled_for(nullptr, RCUTILS_LOG_SEVERITY_ERROR));
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_logging_set_logger_level("", RCUTILS_LOG_SEVERITY_DEBUG));
  EXPECT_EQ(RCUTILS_LOG_SEVERITY_DEBUG, rcutils_logging_get_default_logger_level());
  rcutils_logging_set_default_logger_level(RCUTILS_LOG_SEVERITY_UNSET);
  EXPECT_EQ(RCUTILS_LOG_SEVERITY_INFO, rcutils_logging_get_default_logger_level());
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_logging_set_logger_level("", RCUTILS_LOG_SEVERITY_UNSET));
  EXPECT_EQ(RCUTILS_LOG_SEVERITY_UNSET, effective("a"));
  EXPECT_TRUE(rcutils_logging_logger_is_enabled_for("a", RCUTILS_LOG_SEVERITY_DEBUG));
}

TEST_F(Logging, wrong_levels_are_refused)
{
  for (const int level : {-1, 5, 51, 1000}) {
    EXPECT_EQ(RCUTILS_RET_INVALID_ARGUMENT, rcutils_logging_set_logger_level("a", level)) << level;
    rcutils_reset_error();
  }
  EXPECT_EQ(RCUTILS_RET_INVALID_ARGUMENT, rcutils_logging_set_logger_level(nullptr, RCUTILS_LOG_SEVERITY_INFO));
  rcutils_reset_error();
  EXPECT_EQ(-1, rcutils_logging_get_logger_level(nullptr));
  EXPECT_EQ(-1, effective(nullptr));
  rcutils_reset_error();
}

TEST_F(Logging, names_of_severities)
{
  int severity = 0;
  const auto allocator = rcutils_get_default_allocator();
  EXPECT_EQ(RCUTILS_RET_OK, rcutils_logging_severity_level_from_string("warn", allocator, &severity));
  EXPECT_EQ(RCUTILS_LOG_SEVERITY_WARN, severity);
  EXPECT_EQ(RCUTILS_RET_OK, rcutils_logging_severity_level_from_string("FATAL", allocator, &severity));
  EXPECT_EQ(RCUTILS_LOG_SEVERITY_FATAL, severity);
  EXPECT_EQ(
    RCUTILS_RET_LOGGING_SEVERITY_STRING_INVALID,
    rcutils_logging_severity_level_from_string("loud", allocator, &severity));
  EXPECT_STREQ("ERROR", g_rcutils_log_severity_names[RCUTILS_LOG_SEVERITY_ERROR]);
}

TEST_F(Logging, messages_below_the_level_are_not_evaluated)
{
  int evaluated = 0;
  RCUTILS_LOG_DEBUG_NAMED("a", "%d", ++evaluated);
  EXPECT_EQ(0, evaluated);
  EXPECT_TRUE(take().empty());
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_logging_set_logger_level("a", RCUTILS_LOG_SEVERITY_DEBUG));
  RCUTILS_LOG_DEBUG_NAMED("a.child", "%d", ++evaluated);
  RCUTILS_LOG_DEBUG_NAMED("b", "%d", ++evaluated);
  const auto messages = take();
  ASSERT_EQ(1u, messages.size());
  EXPECT_EQ("a.child", messages[0].name);
  EXPECT_EQ("1", messages[0].text);
  EXPECT_EQ(RCUTILS_LOG_SEVERITY_DEBUG, messages[0].severity);
  EXPECT_EQ("TestBody", messages[0].function);
  EXPECT_EQ(1, evaluated);
  rcutils_log(nullptr, RCUTILS_LOG_SEVERITY_DEBUG, "b", "not %s", "logged");
  rcutils_log(nullptr, RCUTILS_LOG_SEVERITY_INFO, nullptr, "%s", "logged");
  ASSERT_EQ(1u, Collected::get().take().size());
}

TEST_F(Logging, conditions)
{
  for (int round = 0; round < 3; ++round) {
    RCUTILS_LOG_INFO_ONCE("once %d", round);
    RCUTILS_LOG_INFO_SKIPFIRST("skipfirst %d", round);
    RCUTILS_LOG_INFO_EXPRESSION(round == 1, "expression %d", round);
    RCUTILS_LOG_INFO_FUNCTION([] {return false;}, "function %d", round);
  }
  std::vector<std::string> texts;
  for (const auto & message : take()) {
    texts.push_back(message.text);
  }
  EXPECT_EQ((std::vector<std::string>{"once 0", "skipfirst 1", "expression 1", "skipfirst 2"}), texts);
}

TEST_F(Logging, throttle_with_a_clock_of_the_test)
{
  rcutils_time_point_value_t time = 0;
  const auto clock = [&time](rcutils_time_point_value_t * now) -> rcutils_ret_t {
      *now = time;
      return RCUTILS_RET_OK;
    };
  std::vector<int64_t> logged;
  // The jump back of a simulated clock starts a new period.
  for (const int64_t ms : {0, 1, 9, 10, 19, 20, 5, 6, 15}) {
    time = RCUTILS_MS_TO_NS(ms);
    RCUTILS_LOG_INFO_THROTTLE(clock, 10, "x");
    RCUTILS_LOG_WARN_SKIPFIRST_THROTTLE_NAMED(clock, 10, "name", "y");
    for (const auto & message : take()) {
      logged.push_back(message.text == "x" ? ms : -ms);
    }
  }
  EXPECT_EQ((std::vector<int64_t>{0, 10, -10, 20, -20, 5, -5, 15, -15}), logged);
}

TEST_F(Logging, throttle_does_not_lose_messages_without_clock)
{
  const auto broken = [](rcutils_time_point_value_t *) -> rcutils_ret_t {
      RCUTILS_SET_ERROR_MSG("no clock");
      return RCUTILS_RET_ERROR;
    };
  Captured captured(stderr);
  for (int round = 0; round < 2; ++round) {
    RCUTILS_LOG_INFO_THROTTLE(broken, 1000, "x");
  }
  EXPECT_NE(std::string::npos, captured.text().find("no clock"));
  EXPECT_EQ(2u, take().size());
  EXPECT_FALSE(rcutils_error_is_set());
}

TEST_F(Logging, threads_share_once_and_throttle)
{
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back(
      [] {
        for (int round = 0; round < 1000; ++round) {
          RCUTILS_LOG_INFO_ONCE("once");
          RCUTILS_LOG_INFO_THROTTLE(rcutils_steady_time_now, 3600000, "throttle");
          RCUTILS_LOG_DEBUG("never");
        }
      });
  }
  for (auto & thread : threads) {
    thread.join();
  }
  EXPECT_EQ(2u, take().size());
}

TEST_F(Logging, levels_change_while_threads_log)
{
  std::atomic<bool> stops{false};
  std::thread logger([&stops] {
      while (!stops) {
        RCUTILS_LOG_DEBUG_NAMED("a.b.c", "x");
        RCUTILS_LOG_INFO_NAMED("d", "y");
      }
    });
  for (int round = 0; round < 300; ++round) {
    const int level = round % 2 == 0 ? RCUTILS_LOG_SEVERITY_DEBUG : RCUTILS_LOG_SEVERITY_UNSET;
    ASSERT_EQ(RCUTILS_RET_OK, rcutils_logging_set_logger_level("a.b", level));
    rcutils_logging_set_output_handler(round % 3 == 0 ? nullptr : collect);
  }
  stops = true;
  logger.join();
  EXPECT_EQ(RCUTILS_LOG_SEVERITY_INFO, effective("a.b.c"));
}

std::vector<std::pair<std::string, int>> heard;

TEST_F(Logging, the_hook_hears_of_levels)
{
  heard.clear();
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_logging_set_logger_level("early", RCUTILS_LOG_SEVERITY_WARN));
  saltus_rcutils_set_level_hook([](const char * name, int level) {heard.emplace_back(name, level);});
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_logging_set_logger_level("late", RCUTILS_LOG_SEVERITY_DEBUG));
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_logging_set_logger_level("late", RCUTILS_LOG_SEVERITY_UNSET));
  rcutils_logging_set_default_logger_level(RCUTILS_LOG_SEVERITY_FATAL);
  rcutils_logging_set_default_logger_level(RCUTILS_LOG_SEVERITY_UNSET);
  saltus_rcutils_set_level_hook(nullptr);
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_logging_set_logger_level("deaf", RCUTILS_LOG_SEVERITY_DEBUG));
  const std::vector<std::pair<std::string, int>> expected = {
    {"", 20}, {"early", 30}, {"late", 10}, {"late", 0}, {"", 50}, {"", 20}};
  EXPECT_EQ(expected, heard);
}

TEST_F(Logging, errno_survives)
{
  errno = EXDEV;
  RCUTILS_LOG_INFO("x");
  EXPECT_EQ(EXDEV, errno);
}

TEST_F(Logging, from_c)
{
  EXPECT_EQ(2, c_user_logs("c"));
  const auto messages = take();
  ASSERT_EQ(7u, messages.size());
  EXPECT_EQ("no arguments", messages[0].text);
  EXPECT_EQ("", messages[0].name);
  EXPECT_EQ("number 7", messages[1].text);
  EXPECT_EQ("c", messages[1].name);
  EXPECT_EQ("c_user_logs", messages[1].function);
}

TEST_F(Logging, shutdown_resets)
{
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_logging_set_logger_level("a", RCUTILS_LOG_SEVERITY_DEBUG));
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_logging_initialize());
  EXPECT_TRUE(g_rcutils_logging_initialized);
  ASSERT_EQ(RCUTILS_RET_OK, rcutils_logging_shutdown());
  EXPECT_FALSE(g_rcutils_logging_initialized);
  EXPECT_EQ(rcutils_logging_console_output_handler, rcutils_logging_get_output_handler());
  EXPECT_EQ(RCUTILS_LOG_SEVERITY_INFO, effective("a"));
  EXPECT_EQ(
    RCUTILS_RET_INVALID_ARGUMENT,
    rcutils_logging_initialize_with_allocator(rcutils_get_zero_initialized_allocator()));
  rcutils_reset_error();
  RCUTILS_LOGGING_AUTOINIT;
  RCUTILS_LOGGING_AUTOINIT_WITH_ALLOCATOR(rcutils_get_default_allocator());
  EXPECT_TRUE(g_rcutils_logging_initialized);
}

}  // namespace
