/** Clocks and time stamps in nanoseconds. */
#ifndef RCUTILS_TIME_H_
#define RCUTILS_TIME_H_

#include <stddef.h>
#include <stdint.h>

#include "rcutils/macros.h"
#include "rcutils/types/rcutils_ret.h"
#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RCUTILS_S_TO_NS(seconds) ((seconds) * (1000LL * 1000LL * 1000LL))
#define RCUTILS_MS_TO_NS(milliseconds) ((milliseconds) * (1000LL * 1000LL))
#define RCUTILS_US_TO_NS(microseconds) ((microseconds) * 1000LL)
/* The divisions round towards zero. */
#define RCUTILS_NS_TO_S(nanoseconds) ((nanoseconds) / (1000LL * 1000LL * 1000LL))
#define RCUTILS_NS_TO_MS(nanoseconds) ((nanoseconds) / (1000LL * 1000LL))
#define RCUTILS_NS_TO_US(nanoseconds) ((nanoseconds) / 1000LL)

/** The clock of throttled log macros that never jumps. */
#define RCUTILS_STEADY_TIME rcutils_steady_time_now

/** A point in time in nanoseconds since the epoch of its clock. */
typedef int64_t rcutils_time_point_value_t;
/** A duration in nanoseconds. */
typedef int64_t rcutils_duration_value_t;

/** Gets the time of the system clock since 1970; returns RCUTILS_RET_INVALID_ARGUMENT if `now` is NULL. */
RCUTILS_PUBLIC rcutils_ret_t rcutils_system_time_now(rcutils_time_point_value_t * now);

/** Gets the time of a clock that never jumps; returns RCUTILS_RET_INVALID_ARGUMENT if `now` is NULL. */
RCUTILS_PUBLIC rcutils_ret_t rcutils_steady_time_now(rcutils_time_point_value_t * now);

/** Gets the time of a steady clock that NTP does not slew; returns RCUTILS_RET_INVALID_ARGUMENT if `now` is NULL. */
RCUTILS_PUBLIC rcutils_ret_t rcutils_raw_steady_time_now(rcutils_time_point_value_t * now);

/** Writes nanoseconds with at least 19 digits, for example "0000000000000000001"; a short buffer cuts the text. */
RCUTILS_PUBLIC rcutils_ret_t rcutils_time_point_value_as_nanoseconds_string(
  const rcutils_time_point_value_t * time_point, char * str, size_t str_size);

/** Writes seconds with at least 10 digits and 9 decimals, for example "0000000001.500000000". */
RCUTILS_PUBLIC rcutils_ret_t rcutils_time_point_value_as_seconds_string(
  const rcutils_time_point_value_t * time_point, char * str, size_t str_size);

/** Writes the local date and time with milliseconds, for example "2024-05-23 14:00:01.250". */
RCUTILS_PUBLIC rcutils_ret_t rcutils_time_point_value_as_date_string(
  const rcutils_time_point_value_t * time_point, char * str, size_t str_size);

#ifdef __cplusplus
}
#endif

#endif
