#include "rcutils/time.h"

#include <cinttypes>
#include <cstdio>
#include <ctime>

#include "rcutils/error_handling.h"

namespace
{

constexpr int64_t ns_per_second = 1000000000;

rcutils_ret_t read_clock(clockid_t clock, rcutils_time_point_value_t * now)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(now, RCUTILS_RET_INVALID_ARGUMENT);
  timespec time = {};
  if (clock_gettime(clock, &time) != 0) {
    RCUTILS_SET_ERROR_MSG("clock_gettime failed");
    return RCUTILS_RET_ERROR;
  }
  *now = static_cast<int64_t>(time.tv_sec) * ns_per_second + static_cast<int64_t>(time.tv_nsec);
  return RCUTILS_RET_OK;
}

// The magnitude of a time, which does not fit into int64_t for the smallest one.
uint64_t magnitude(int64_t time)
{
  return time < 0 ? uint64_t{0} - static_cast<uint64_t>(time) : static_cast<uint64_t>(time);
}

rcutils_ret_t check(const rcutils_time_point_value_t * time_point, const char * str)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(time_point, RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(str, RCUTILS_RET_INVALID_ARGUMENT);
  return RCUTILS_RET_OK;
}

rcutils_ret_t result_of(int length)
{
  if (length < 0) {
    RCUTILS_SET_ERROR_MSG("formatting a time failed");
    return RCUTILS_RET_ERROR;
  }
  return RCUTILS_RET_OK;
}

}  // namespace

rcutils_ret_t rcutils_system_time_now(rcutils_time_point_value_t * now)
{
  return read_clock(CLOCK_REALTIME, now);
}

rcutils_ret_t rcutils_steady_time_now(rcutils_time_point_value_t * now)
{
  return read_clock(CLOCK_MONOTONIC, now);
}

rcutils_ret_t rcutils_raw_steady_time_now(rcutils_time_point_value_t * now)
{
#ifdef CLOCK_MONOTONIC_RAW
  return read_clock(CLOCK_MONOTONIC_RAW, now);
#else
  return read_clock(CLOCK_MONOTONIC, now);
#endif
}

rcutils_ret_t rcutils_time_point_value_as_nanoseconds_string(
  const rcutils_time_point_value_t * time_point, char * str, size_t str_size)
{
  const rcutils_ret_t ret = check(time_point, str);
  if (ret != RCUTILS_RET_OK || str_size == 0) {
    return ret;
  }
  const char * sign = *time_point < 0 ? "-" : "";
  return result_of(std::snprintf(str, str_size, "%s%.19" PRIu64, sign, magnitude(*time_point)));
}

rcutils_ret_t rcutils_time_point_value_as_seconds_string(
  const rcutils_time_point_value_t * time_point, char * str, size_t str_size)
{
  const rcutils_ret_t ret = check(time_point, str);
  if (ret != RCUTILS_RET_OK || str_size == 0) {
    return ret;
  }
  const char * sign = *time_point < 0 ? "-" : "";
  const uint64_t absolute = magnitude(*time_point);
  return result_of(
    std::snprintf(
      str, str_size, "%s%.10" PRIu64 ".%.9" PRIu64, sign, absolute / ns_per_second, absolute % ns_per_second));
}

rcutils_ret_t rcutils_time_point_value_as_date_string(
  const rcutils_time_point_value_t * time_point, char * str, size_t str_size)
{
  const rcutils_ret_t ret = check(time_point, str);
  if (ret != RCUTILS_RET_OK || str_size == 0) {
    return ret;
  }
  int64_t seconds = *time_point / ns_per_second;
  int64_t rest = *time_point % ns_per_second;
  if (rest < 0) {
    seconds -= 1;
    rest += ns_per_second;
  }
  const auto time = static_cast<time_t>(seconds);
  tm parts = {};
  char date[64];
  if (!localtime_r(&time, &parts) || std::strftime(date, sizeof(date), "%Y-%m-%d %H:%M:%S", &parts) == 0) {
    RCUTILS_SET_ERROR_MSG("the time has no local date");
    return RCUTILS_RET_ERROR;
  }
  return result_of(std::snprintf(str, str_size, "%s.%.3" PRId64, date, rest / 1000000));
}
