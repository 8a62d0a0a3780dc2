// A stand-in for rcl/time.h, for tests without rclcpp.
#ifndef RCL_TIME_H_
#define RCL_TIME_H_

#include <atomic>
#include <cstdint>

enum rcl_clock_type_t
{
  RCL_CLOCK_UNINITIALIZED = 0,
  RCL_ROS_TIME,
  RCL_SYSTEM_TIME,
  RCL_STEADY_TIME
};

struct rcl_clock_t
{
  std::atomic<bool> is_overridden{false};
  std::atomic<std::int64_t> time{0};
};

inline int rcl_enable_ros_time_override(rcl_clock_t * clock)
{
  clock->is_overridden = true;
  return 0;
}

inline int rcl_set_ros_time_override(rcl_clock_t * clock, std::int64_t time)
{
  clock->time = time;
  return 0;
}

#endif
