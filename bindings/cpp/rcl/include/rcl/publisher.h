/** Publishers. */
#ifndef RCL_PUBLISHER_H_
#define RCL_PUBLISHER_H_

#include <stdbool.h>

#include "rcl/allocator.h"
#include "rcl/macros.h"
#include "rcl/node.h"
#include "rcl/time.h"
#include "rcl/visibility_control.h"
#include "rosidl_runtime_c/message_type_support_struct.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rcl_publisher_impl_s;
typedef struct rcl_publisher_impl_s rcl_publisher_impl_t;

typedef struct rcl_publisher_s
{
  rcl_publisher_impl_t * impl;
} rcl_publisher_t;

typedef struct rcl_publisher_options_s
{
  rmw_qos_profile_t qos;
  rcl_allocator_t allocator;
  rmw_publisher_options_t rmw_publisher_options;
  bool disable_loaned_message;
} rcl_publisher_options_t;

/** Returns a publisher that is not initialized. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_publisher_t rcl_get_zero_initialized_publisher(void);

/** Returns options with the defaults. Messages are lent unless ROS_DISABLE_LOANED_MESSAGES is "1". */
RCL_PUBLIC RCL_WARN_UNUSED rcl_publisher_options_t rcl_publisher_get_default_options(void);

#ifdef __cplusplus
}
#endif

#endif
