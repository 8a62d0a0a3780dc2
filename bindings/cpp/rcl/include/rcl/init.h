/** What ROS 2 has for the begin and the end of a context in C. Here rclcpp::init() begins it, and the C API of saltus/saltus.h. */
#ifndef RCL_INIT_H_
#define RCL_INIT_H_

#include "rcl/allocator.h"
#include "rcl/context.h"
#include "rcl/init_options.h"
#include "rcl/macros.h"
#include "rcl/types.h"
#include "rcl/visibility_control.h"

#endif
