/** Which programs a program finds, from the environment. */
#ifndef RCL_DISCOVERY_OPTIONS_H_
#define RCL_DISCOVERY_OPTIONS_H_

#include "rcl/allocator.h"
#include "rcl/macros.h"
#include "rcl/types.h"
#include "rcl/visibility_control.h"
#include "rmw/discovery_options.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Gets the range of ROS_AUTOMATIC_DISCOVERY_RANGE.
 *
 * It is SUBNET if the variable is not set or empty. A wrong value is reported on stderr and gives LOCALHOST.
 */
RCL_PUBLIC RCL_WARN_UNUSED
rcl_ret_t rcl_get_automatic_discovery_range(rmw_discovery_options_t * discovery_options);

/** Returns the name of a range as in C; NULL for other numbers. */
RCL_PUBLIC RCL_WARN_UNUSED
const char * rcl_automatic_discovery_range_to_string(rmw_automatic_discovery_range_t automatic_discovery_range);

/** Gets the addresses of ROS_STATIC_PEERS, which ';' separates. Those that are too long are reported and left out. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_get_discovery_static_peers(
  rmw_discovery_options_t * discovery_options, rcutils_allocator_t * allocator);

#ifdef __cplusplus
}
#endif

#endif
