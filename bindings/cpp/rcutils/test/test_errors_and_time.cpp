#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <thread>

#include "c_user.h"
#include "failing_allocator.hpp"
#include "logging_fixture.hpp"
#include "rcutils/error_handling.h"
#include "rcutils/time.h"

namespace
{

TEST(Errors, message_and_place)
{
  rcutils_reset_error();
  EXPECT_FALSE(rcutils_error_is_set());
  EXPECT_STREQ("error not set", rcutils_get_error_string().str);
  EXPECT_EQ(nullptr, rcutils_get_error_state());
  rcutils_set_error_state("broken", "file.c", 12);
  EXPECT_TRUE(rcutils_error_is_set());
  EXPECT_STREQ("broken, at file.c:12", rcutils_get_error_string().str);
  EXPECT_EQ(12u, rcutils_get_error_state()->line_number);
  rcutils_reset_error();
  EXPECT_FALSE(rcutils_error_is_set());
}

TEST(Errors, long_texts_are_cut)
{
  rcutils_set_error_state(std::string(2000, 'm').c_str(), std::string(2000, 'f').c_str(), SIZE_MAX);
  EXPECT_EQ(RCUTILS_ERROR_STATE_MESSAGE_MAX_LENGTH - 1u, std::strlen(rcutils_get_error_state()->message));
  const std::string text = rcutils_get_error_string().str;
  EXPECT_EQ(":18446744073709551615", text.substr(text.size() - 21));
  rcutils_reset_error();
}

TEST(Errors, each_thread_has_its_own)
{
  rcutils_set_error_state("here", "file.c", 1);
  std::thread(
    [] {
      EXPECT_FALSE(rcutils_error_is_set());
      rcutils_set_error_state("there", "file.c", 2);
    }).join();
  EXPECT_STREQ("here, at file.c:1", rcutils_get_error_string().str);
  rcutils_reset_error();
}

TEST(Errors, an_unread_error_is_reported)
{
  Captured captured(stderr);
  rcutils_set_error_state("first", "file.c", 1);
  rcutils_set_error_state("second: first", "file.c", 2);
  rcutils_set_error_state("third", "file.c", 3);
  EXPECT_STREQ("third, at file.c:3", rcutils_get_error_string().str);
  rcutils_set_error_state("fourth", "file.c", 4);
  EXPECT_EQ(
    "rcutils: an unread error is overwritten: 'second: first, at file.c:2' by 'third'\n", captured.text());
  rcutils_reset_error();
}

TEST(Errors, wrong_arguments_set_nothing)
{
  Captured captured(stderr);
  rcutils_reset_error();
  RCUTILS_SET_ERROR_MSG(nullptr);
  rcutils_set_error_state("text", nullptr, 1);
  EXPECT_FALSE(rcutils_error_is_set());
}

TEST(Errors, from_c) {EXPECT_EQ(0, c_user_handles_errors());}

TEST(Errors, storage_needs_nothing)
{
  EXPECT_EQ(
    RCUTILS_RET_OK, rcutils_initialize_error_handling_thread_local_storage(rcutils_get_default_allocator()));
}

TEST(Allocator, functions)
{
  rcutils_allocator_t allocator = rcutils_get_default_allocator();
  EXPECT_TRUE(rcutils_allocator_is_valid(&allocator));
  EXPECT_FALSE(rcutils_allocator_is_valid(nullptr));
  const auto zero = rcutils_get_zero_initialized_allocator();
  EXPECT_FALSE(rcutils_allocator_is_valid(&zero));
  void * memory = allocator.zero_allocate(4, 4, allocator.state);
  ASSERT_NE(nullptr, memory);
  memory = rcutils_reallocf(memory, 100, &allocator);
  ASSERT_NE(nullptr, memory);
  int successes = 0;
  rcutils_allocator_t failing = failing_allocator(&successes);
  EXPECT_EQ(nullptr, rcutils_reallocf(memory, 200, &failing));
}

TEST(Time, macros)
{
  EXPECT_EQ(2000000000, RCUTILS_S_TO_NS(2));
  EXPECT_EQ(3000000, RCUTILS_MS_TO_NS(1 + 2));
  EXPECT_EQ(4000, RCUTILS_US_TO_NS(4));
  EXPECT_EQ(2, RCUTILS_NS_TO_S(2999999999));
  EXPECT_EQ(-2, RCUTILS_NS_TO_MS(-2999999));
  EXPECT_EQ(2, RCUTILS_NS_TO_US(2999));
}

TEST(Time, clocks)
{
  for (const auto clock : {rcutils_system_time_now, rcutils_steady_time_now, rcutils_raw_steady_time_now}) {
    rcutils_time_point_value_t first = 0;
    rcutils_time_point_value_t second = 0;
    ASSERT_EQ(RCUTILS_RET_OK, clock(&first));
    ASSERT_EQ(RCUTILS_RET_OK, clock(&second));
    EXPECT_LT(0, first);
    EXPECT_LE(first, second);
    EXPECT_EQ(RCUTILS_RET_INVALID_ARGUMENT, clock(nullptr));
    rcutils_reset_error();
  }
}

std::string formatted(decltype(rcutils_time_point_value_as_seconds_string) function, int64_t time)
{
  char text[64];
  EXPECT_EQ(RCUTILS_RET_OK, function(&time, text, sizeof(text)));
  return text;
}

TEST(Time, strings)
{
  EXPECT_EQ("0000000001.500000000", formatted(rcutils_time_point_value_as_seconds_string, 1500000000));
  EXPECT_EQ("-0000000000.000000001", formatted(rcutils_time_point_value_as_seconds_string, -1));
  EXPECT_EQ("-9223372036.854775808", formatted(rcutils_time_point_value_as_seconds_string, INT64_MIN));
  EXPECT_EQ("0000000000000000012", formatted(rcutils_time_point_value_as_nanoseconds_string, 12));
  EXPECT_EQ("-0000000000000000012", formatted(rcutils_time_point_value_as_nanoseconds_string, -12));
  setenv("TZ", "UTC", 1);
  tzset();
  EXPECT_EQ("1970-01-02 00:00:00.250", formatted(rcutils_time_point_value_as_date_string, 86400250000000));
  EXPECT_EQ("1969-12-31 23:59:59.999", formatted(rcutils_time_point_value_as_date_string, -1));
  unsetenv("TZ");
  const int64_t time = 0;
  char small[4];
  EXPECT_EQ(RCUTILS_RET_OK, rcutils_time_point_value_as_nanoseconds_string(&time, small, sizeof(small)));
  EXPECT_STREQ("000", small);
  EXPECT_EQ(RCUTILS_RET_OK, rcutils_time_point_value_as_nanoseconds_string(&time, small, 0));
  EXPECT_EQ(RCUTILS_RET_INVALID_ARGUMENT, rcutils_time_point_value_as_nanoseconds_string(nullptr, small, 4));
  rcutils_reset_error();
}

}  // namespace
