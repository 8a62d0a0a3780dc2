/** Timers. */
#ifndef RCL_TIMER_H_
#define RCL_TIMER_H_

#include <stddef.h>
#include <stdint.h>

#include "rcl/allocator.h"
#include "rcl/context.h"
#include "rcl/event_callback.h"
#include "rcl/guard_condition.h"
#include "rcl/macros.h"
#include "rcl/time.h"
#include "rcl/types.h"
#include "rcl/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rcl_timer_impl_s;
typedef struct rcl_timer_impl_s rcl_timer_impl_t;

typedef struct rcl_timer_s
{
  rcl_timer_impl_t * impl;
} rcl_timer_t;

/** A callback for the reset of a timer. */
typedef struct rcl_timer_on_reset_callback_data_s
{
  rcl_event_callback_t on_reset_callback;
  const void * user_data;
  /** Counts the resets while there is no callback. */
  size_t reset_counter;
} rcl_timer_on_reset_callback_data_t;

/** When a timer was called. */
typedef struct rcl_timer_call_info_s
{
  rcl_time_point_value_t expected_call_time;
  rcl_time_point_value_t actual_call_time;
} rcl_timer_call_info_t;

/** The callback of a timer; the second argument is the time in nanoseconds since the last call. */
typedef void (* rcl_timer_callback_t)(rcl_timer_t *, int64_t);

/** Returns a timer that is not initialized. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_timer_t rcl_get_zero_initialized_timer(void);

#ifdef __cplusplus
}
#endif

#endif
