#include "rcl/time.h"

#include <algorithm>
#include <atomic>
#include <new>

#include "rcl/error_handling.h"

namespace
{

/// The data of a clock of the kind RCL_ROS_TIME.
struct RosTime
{
  std::atomic<bool> is_source{false};
  std::atomic<rcl_time_point_value_t> now{0};
};

rcl_ret_t system_now(void *, rcl_time_point_value_t * now) {return rcutils_system_time_now(now);}

rcl_ret_t steady_now(void *, rcl_time_point_value_t * now) {return rcutils_steady_time_now(now);}

rcl_ret_t ros_now(void * data, rcl_time_point_value_t * now)
{
  const RosTime & time = *static_cast<const RosTime *>(data);
  if (!time.is_source) {
    return system_now(nullptr, now);
  }
  *now = time.now;
  return RCL_RET_OK;
}

// Returns the data of a clock of the kind RCL_ROS_TIME, or NULL and sets an error.
RosTime * ros_time_of(rcl_clock_t & clock)
{
  if (clock.type != RCL_ROS_TIME || !clock.data) {
    RCL_SET_ERROR_MSG("expected a clock of the kind RCL_ROS_TIME that is initialized");
    return nullptr;
  }
  return static_cast<RosTime *>(clock.data);
}

rcl_ret_t init(
  rcl_clock_t * clock, rcl_allocator_t * allocator, rcl_clock_type_t type,
  rcl_ret_t (* get_now)(void *, rcl_time_point_value_t *))
{
  RCL_CHECK_ARGUMENT_FOR_NULL(clock, RCL_RET_INVALID_ARGUMENT);
  RCL_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RCL_RET_INVALID_ARGUMENT);
  *clock = {type, nullptr, 0, get_now, nullptr, *allocator};
  return RCL_RET_OK;
}

void free_callbacks(rcl_clock_t & clock)
{
  clock.allocator.deallocate(clock.jump_callbacks, clock.allocator.state);
  clock.jump_callbacks = nullptr;
  clock.num_jump_callbacks = 0;
}

rcl_ret_t fini(rcl_clock_t * clock, rcl_clock_type_t type)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(clock, RCL_RET_INVALID_ARGUMENT);
  if (clock->type != type) {
    RCL_SET_ERROR_MSG("the clock is of another kind");
    return RCL_RET_ERROR;
  }
  RCL_CHECK_ALLOCATOR_WITH_MSG(&clock->allocator, "the clock is not initialized", return RCL_RET_INVALID_ARGUMENT);
  free_callbacks(*clock);
  return RCL_RET_OK;
}

bool is_wanted(const rcl_time_jump_t & jump, const rcl_jump_threshold_t & threshold)
{
  const bool changes = jump.clock_change == RCL_ROS_TIME_ACTIVATED || jump.clock_change == RCL_ROS_TIME_DEACTIVATED;
  const rcl_duration_value_t delta = jump.delta.nanoseconds;
  const rcl_duration_value_t forward = threshold.min_forward.nanoseconds;
  const rcl_duration_value_t backward = threshold.min_backward.nanoseconds;
  return (changes && threshold.on_clock_change) || (forward > 0 && delta >= forward) ||
         (backward < 0 && delta <= backward);
}

void call_callbacks(const rcl_clock_t & clock, const rcl_time_jump_t & jump, bool before_jump)
{
  for (size_t index = 0; index < clock.num_jump_callbacks; ++index) {
    const rcl_jump_callback_info_t & info = clock.jump_callbacks[index];
    if (is_wanted(jump, info.threshold)) {
      info.callback(&jump, before_jump, info.user_data);
    }
  }
}

rcl_ret_t set_source(rcl_clock_t * clock, bool is_ros_time)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(clock, RCL_RET_INVALID_ARGUMENT);
  RosTime * time = ros_time_of(*clock);
  if (!time) {
    return RCL_RET_ERROR;
  }
  if (time->is_source != is_ros_time) {
    const rcl_time_jump_t jump = {is_ros_time ? RCL_ROS_TIME_ACTIVATED : RCL_ROS_TIME_DEACTIVATED, {0}};
    call_callbacks(*clock, jump, true);
    time->is_source = is_ros_time;
    call_callbacks(*clock, jump, false);
  }
  return RCL_RET_OK;
}

rcl_jump_callback_info_t * find_callback(rcl_clock_t & clock, rcl_jump_callback_t callback, void * user_data)
{
  rcl_jump_callback_info_t * end = clock.jump_callbacks + clock.num_jump_callbacks;
  return std::find_if(
    clock.jump_callbacks, end, [&](const rcl_jump_callback_info_t & info) {
      return info.callback == callback && info.user_data == user_data;
    });
}

}  // namespace

bool rcl_clock_time_started(rcl_clock_t * clock)
{
  rcl_time_point_value_t now = 0;
  return rcl_clock_get_now(clock, &now) == RCL_RET_OK && now > 0;
}

bool rcl_clock_valid(rcl_clock_t * clock)
{
  return clock && clock->get_now && clock->type != RCL_CLOCK_UNINITIALIZED &&
         (clock->type != RCL_ROS_TIME || clock->data);
}

rcl_ret_t rcl_clock_init(rcl_clock_type_t clock_type, rcl_clock_t * clock, rcl_allocator_t * allocator)
{
  switch (clock_type) {
    case RCL_CLOCK_UNINITIALIZED: return init(clock, allocator, RCL_CLOCK_UNINITIALIZED, nullptr);
    case RCL_ROS_TIME: return rcl_ros_clock_init(clock, allocator);
    case RCL_SYSTEM_TIME: return rcl_system_clock_init(clock, allocator);
    case RCL_STEADY_TIME: return rcl_steady_clock_init(clock, allocator);
    default:
      RCL_SET_ERROR_MSG("unknown kind of clock");
      return RCL_RET_INVALID_ARGUMENT;
  }
}

rcl_ret_t rcl_clock_fini(rcl_clock_t * clock)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(clock, RCL_RET_INVALID_ARGUMENT);
  if (clock->type == RCL_CLOCK_UNINITIALIZED) {
    RCL_SET_ERROR_MSG("the clock is not initialized");
    return RCL_RET_INVALID_ARGUMENT;
  }
  return clock->type == RCL_ROS_TIME ? rcl_ros_clock_fini(clock) : fini(clock, clock->type);
}

rcl_ret_t rcl_ros_clock_init(rcl_clock_t * clock, rcl_allocator_t * allocator)
{
  const rcl_ret_t ret = init(clock, allocator, RCL_ROS_TIME, ros_now);
  if (ret != RCL_RET_OK) {
    return ret;
  }
  void * memory = allocator->allocate(sizeof(RosTime), allocator->state);
  RCL_CHECK_FOR_NULL_WITH_MSG(memory, "no memory for a clock", return RCL_RET_BAD_ALLOC);
  clock->data = new (memory) RosTime;
  return RCL_RET_OK;
}

rcl_ret_t rcl_ros_clock_fini(rcl_clock_t * clock)
{
  const rcl_ret_t ret = fini(clock, RCL_ROS_TIME);
  if (ret == RCL_RET_OK && clock->data) {
    static_cast<RosTime *>(clock->data)->~RosTime();
    clock->allocator.deallocate(clock->data, clock->allocator.state);
    clock->data = nullptr;
  }
  return ret;
}

rcl_ret_t rcl_steady_clock_init(rcl_clock_t * clock, rcl_allocator_t * allocator)
{
  return init(clock, allocator, RCL_STEADY_TIME, steady_now);
}

rcl_ret_t rcl_steady_clock_fini(rcl_clock_t * clock) {return fini(clock, RCL_STEADY_TIME);}

rcl_ret_t rcl_system_clock_init(rcl_clock_t * clock, rcl_allocator_t * allocator)
{
  return init(clock, allocator, RCL_SYSTEM_TIME, system_now);
}

rcl_ret_t rcl_system_clock_fini(rcl_clock_t * clock) {return fini(clock, RCL_SYSTEM_TIME);}

rcl_ret_t rcl_difference_times(
  const rcl_time_point_t * start, const rcl_time_point_t * finish, rcl_duration_t * delta)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(start, RCL_RET_INVALID_ARGUMENT);
  RCL_CHECK_ARGUMENT_FOR_NULL(finish, RCL_RET_INVALID_ARGUMENT);
  RCL_CHECK_ARGUMENT_FOR_NULL(delta, RCL_RET_INVALID_ARGUMENT);
  if (start->clock_type != finish->clock_type) {
    RCL_SET_ERROR_MSG("can't subtract times of different kinds of clocks");
    return RCL_RET_ERROR;
  }
  if (__builtin_sub_overflow(finish->nanoseconds, start->nanoseconds, &delta->nanoseconds)) {
    RCL_SET_ERROR_MSG("the difference of the times is too large");
    return RCL_RET_ERROR;
  }
  return RCL_RET_OK;
}

rcl_ret_t rcl_clock_get_now(rcl_clock_t * clock, rcl_time_point_value_t * time_point_value)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(clock, RCL_RET_INVALID_ARGUMENT);
  RCL_CHECK_ARGUMENT_FOR_NULL(time_point_value, RCL_RET_INVALID_ARGUMENT);
  if (!rcl_clock_valid(clock)) {
    RCL_SET_ERROR_MSG("the clock is not initialized");
    return RCL_RET_ERROR;
  }
  return clock->get_now(clock->data, time_point_value);
}

rcl_ret_t rcl_enable_ros_time_override(rcl_clock_t * clock) {return set_source(clock, true);}

rcl_ret_t rcl_disable_ros_time_override(rcl_clock_t * clock) {return set_source(clock, false);}

rcl_ret_t rcl_is_enabled_ros_time_override(rcl_clock_t * clock, bool * is_enabled)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(clock, RCL_RET_INVALID_ARGUMENT);
  RCL_CHECK_ARGUMENT_FOR_NULL(is_enabled, RCL_RET_INVALID_ARGUMENT);
  const RosTime * time = ros_time_of(*clock);
  if (!time) {
    return RCL_RET_ERROR;
  }
  *is_enabled = time->is_source;
  return RCL_RET_OK;
}

rcl_ret_t rcl_set_ros_time_override(rcl_clock_t * clock, rcl_time_point_value_t time_value)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(clock, RCL_RET_INVALID_ARGUMENT);
  RosTime * time = ros_time_of(*clock);
  if (!time) {
    return RCL_RET_ERROR;
  }
  if (!time->is_source) {
    time->now = time_value;
    return RCL_RET_OK;
  }
  const rcl_time_jump_t jump = {RCL_ROS_TIME_NO_CHANGE, {time_value - time->now}};
  call_callbacks(*clock, jump, true);
  time->now = time_value;
  call_callbacks(*clock, jump, false);
  return RCL_RET_OK;
}

rcl_ret_t rcl_clock_add_jump_callback(
  rcl_clock_t * clock, rcl_jump_threshold_t threshold, rcl_jump_callback_t callback, void * user_data)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(clock, RCL_RET_INVALID_ARGUMENT);
  RCL_CHECK_ARGUMENT_FOR_NULL(callback, RCL_RET_INVALID_ARGUMENT);
  RCL_CHECK_ALLOCATOR_WITH_MSG(&clock->allocator, "the clock is not initialized", return RCL_RET_INVALID_ARGUMENT);
  if (threshold.min_forward.nanoseconds < 0 || threshold.min_backward.nanoseconds > 0) {
    RCL_SET_ERROR_MSG("expected a threshold that is at least 0 forward and at most 0 backward");
    return RCL_RET_INVALID_ARGUMENT;
  }
  if (find_callback(*clock, callback, user_data) != clock->jump_callbacks + clock->num_jump_callbacks) {
    RCL_SET_ERROR_MSG("the callback has been added already with the same user data");
    return RCL_RET_ERROR;
  }
  const size_t count = clock->num_jump_callbacks + 1;
  void * memory = clock->allocator.reallocate(
    clock->jump_callbacks, count * sizeof(rcl_jump_callback_info_t), clock->allocator.state);
  RCL_CHECK_FOR_NULL_WITH_MSG(memory, "no memory for a callback", return RCL_RET_BAD_ALLOC);
  clock->jump_callbacks = static_cast<rcl_jump_callback_info_t *>(memory);
  clock->jump_callbacks[count - 1] = {callback, threshold, user_data};
  clock->num_jump_callbacks = count;
  return RCL_RET_OK;
}

rcl_ret_t rcl_clock_remove_jump_callback(rcl_clock_t * clock, rcl_jump_callback_t callback, void * user_data)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(clock, RCL_RET_INVALID_ARGUMENT);
  RCL_CHECK_ARGUMENT_FOR_NULL(callback, RCL_RET_INVALID_ARGUMENT);
  rcl_jump_callback_info_t * end = clock->jump_callbacks + clock->num_jump_callbacks;
  rcl_jump_callback_info_t * found = find_callback(*clock, callback, user_data);
  if (found == end) {
    RCL_SET_ERROR_MSG("the callback has not been added with this user data");
    return RCL_RET_ERROR;
  }
  std::copy(found + 1, end, found);
  // The memory stays until the last callback is gone: shrinking it could fail.
  if (--clock->num_jump_callbacks == 0) {
    free_callbacks(*clock);
  }
  return RCL_RET_OK;
}
