/** Clocks, points in time and durations. */
#ifndef RCL_TIME_H_
#define RCL_TIME_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rcl/allocator.h"
#include "rcl/macros.h"
#include "rcl/types.h"
#include "rcl/visibility_control.h"
#include "rcutils/time.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RCL_S_TO_NS RCUTILS_S_TO_NS
#define RCL_MS_TO_NS RCUTILS_MS_TO_NS
#define RCL_US_TO_NS RCUTILS_US_TO_NS
#define RCL_NS_TO_S RCUTILS_NS_TO_S
#define RCL_NS_TO_MS RCUTILS_NS_TO_MS
#define RCL_NS_TO_US RCUTILS_NS_TO_US

/** A point in time in nanoseconds since the epoch of its clock. */
typedef rcutils_time_point_value_t rcl_time_point_value_t;
/** A duration in nanoseconds. */
typedef rcutils_duration_value_t rcl_duration_value_t;

/** The kinds of clocks. */
typedef enum rcl_clock_type_e
{
  RCL_CLOCK_UNINITIALIZED = 0,
  /** The time of /clock if there is one, otherwise the system time. */
  RCL_ROS_TIME,
  /** The time since 1970; it may jump. */
  RCL_SYSTEM_TIME,
  /** The time since an unknown moment; it never jumps. */
  RCL_STEADY_TIME
} rcl_clock_type_t;

typedef struct rcl_duration_s
{
  rcl_duration_value_t nanoseconds;
} rcl_duration_t;

/** How the source of a clock has changed. */
typedef enum rcl_clock_change_e
{
  /** Before and after, the source is ROS time. */
  RCL_ROS_TIME_NO_CHANGE = 1,
  /** The source was the system time and is now ROS time. */
  RCL_ROS_TIME_ACTIVATED = 2,
  /** The source was ROS time and is now the system time. */
  RCL_ROS_TIME_DEACTIVATED = 3,
  /** Before and after, the source is the system time. */
  RCL_SYSTEM_TIME_NO_CHANGE = 4
} rcl_clock_change_t;

/** A jump of a clock. */
typedef struct rcl_time_jump_s
{
  rcl_clock_change_t clock_change;
  /** The new time minus the old time; 0 if the source has changed. */
  rcl_duration_t delta;
} rcl_time_jump_t;

/** Is called before and after a jump. */
typedef void (* rcl_jump_callback_t)(const rcl_time_jump_t * time_jump, bool before_jump, void * user_data);

/** Which jumps a callback is called for. */
typedef struct rcl_jump_threshold_s
{
  /** Changes of the source. */
  bool on_clock_change;
  /** Jumps forward of at least this duration; 0 for none. */
  rcl_duration_t min_forward;
  /** Jumps backward of at least this duration, which is negative; 0 for none. */
  rcl_duration_t min_backward;
} rcl_jump_threshold_t;

typedef struct rcl_jump_callback_info_s
{
  rcl_jump_callback_t callback;
  rcl_jump_threshold_t threshold;
  void * user_data;
} rcl_jump_callback_info_t;

/** A clock. The callbacks and the source may not be changed by several threads at once; the time may be read by all. */
typedef struct rcl_clock_s
{
  rcl_clock_type_t type;
  rcl_jump_callback_info_t * jump_callbacks;
  size_t num_jump_callbacks;
  rcl_ret_t (* get_now)(void * data, rcl_time_point_value_t * now);
  void * data;
  rcl_allocator_t allocator;
} rcl_clock_t;

/** A point in time of a kind of clock. */
typedef struct rcl_time_point_s
{
  rcl_time_point_value_t nanoseconds;
  rcl_clock_type_t clock_type;
} rcl_time_point_t;

/** Returns true if the clock is valid and its time is not 0. */
RCL_PUBLIC RCL_WARN_UNUSED bool rcl_clock_time_started(rcl_clock_t * clock);

/** Returns true if the clock is initialized. */
RCL_PUBLIC RCL_WARN_UNUSED bool rcl_clock_valid(rcl_clock_t * clock);

/** Makes a clock of a kind; RCL_CLOCK_UNINITIALIZED makes one that is not valid. */
RCL_PUBLIC RCL_WARN_UNUSED
rcl_ret_t rcl_clock_init(rcl_clock_type_t clock_type, rcl_clock_t * clock, rcl_allocator_t * allocator);

/** Frees what a clock has. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_clock_fini(rcl_clock_t * clock);

/* As rcl_clock_init and rcl_clock_fini, for one kind; another kind is RCL_RET_ERROR. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_ros_clock_init(rcl_clock_t * clock, rcl_allocator_t * allocator);
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_ros_clock_fini(rcl_clock_t * clock);
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_steady_clock_init(rcl_clock_t * clock, rcl_allocator_t * allocator);
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_steady_clock_fini(rcl_clock_t * clock);
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_system_clock_init(rcl_clock_t * clock, rcl_allocator_t * allocator);
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_system_clock_fini(rcl_clock_t * clock);

/** Sets `delta` to `finish` minus `start`; RCL_RET_ERROR if their clocks differ. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_difference_times(
  const rcl_time_point_t * start, const rcl_time_point_t * finish, rcl_duration_t * delta);

/** Gets the time of a clock. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_clock_get_now(rcl_clock_t * clock, rcl_time_point_value_t * time_point_value);

/** Makes ROS time the source of a clock of the kind RCL_ROS_TIME. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_enable_ros_time_override(rcl_clock_t * clock);

/** Makes the system time the source of a clock of the kind RCL_ROS_TIME. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_disable_ros_time_override(rcl_clock_t * clock);

/** Sets `is_enabled` to whether the source is ROS time. */
RCL_PUBLIC RCL_WARN_UNUSED
rcl_ret_t rcl_is_enabled_ros_time_override(rcl_clock_t * clock, bool * is_enabled);

/** Sets ROS time. The callbacks are called if it is the source. */
RCL_PUBLIC RCL_WARN_UNUSED
rcl_ret_t rcl_set_ros_time_override(rcl_clock_t * clock, rcl_time_point_value_t time_value);

/** Adds a callback; RCL_RET_ERROR if the callback is there with the same user data. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_clock_add_jump_callback(
  rcl_clock_t * clock, rcl_jump_threshold_t threshold, rcl_jump_callback_t callback, void * user_data);

/** Removes a callback; RCL_RET_ERROR if it is not there with this user data. */
RCL_PUBLIC RCL_WARN_UNUSED
rcl_ret_t rcl_clock_remove_jump_callback(rcl_clock_t * clock, rcl_jump_callback_t callback, void * user_data);

#ifdef __cplusplus
}
#endif

#endif
