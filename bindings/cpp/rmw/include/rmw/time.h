/** Times of rmw. */
#ifndef RMW_TIME_H_
#define RMW_TIME_H_

#include <stdbool.h>
#include <stdint.h>

#include "rcutils/time.h"
#include "rmw/macros.h"
#include "rmw/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A duration that never ends. */
#define RMW_DURATION_INFINITE {9223372036LL, 854775807LL}

/** The duration that the middleware chooses. */
#define RMW_DURATION_UNSPECIFIED {0LL, 0LL}

/** A duration in two parts; `nsec` may be a second or more. */
typedef struct rmw_time_s
{
  uint64_t sec;
  uint64_t nsec;
} rmw_time_t;

/** A point in time in nanoseconds. */
typedef rcutils_time_point_value_t rmw_time_point_value_t;

/** A duration in nanoseconds. */
typedef rcutils_duration_value_t rmw_duration_t;

/** Returns true if both durations have the same nanoseconds, up to the largest rmw_duration_t. */
RMW_PUBLIC RMW_WARN_UNUSED bool rmw_time_equal(const rmw_time_t left, const rmw_time_t right);

/** Returns a duration in nanoseconds; INT64_MAX if it does not fit. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_duration_t rmw_time_total_nsec(const rmw_time_t time);

/** Returns a duration in two parts; RMW_DURATION_INFINITE if it is negative. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_time_t rmw_time_from_nsec(const rmw_duration_t nanoseconds);

/** Returns the same duration with less than a second in `nsec`. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_time_t rmw_time_normalize(const rmw_time_t time);

#ifdef __cplusplus
}
#endif

#endif
