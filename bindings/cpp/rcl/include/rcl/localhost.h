#ifndef RCL_LOCALHOST_H_
#define RCL_LOCALHOST_H_

#include "rcl/macros.h"
#include "rcl/types.h"
#include "rcl/visibility_control.h"
#include "rmw/localhost.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The name of the environment variable that ROS_AUTOMATIC_DISCOVERY_RANGE replaces. */
RCL_PUBLIC extern const char * const RCL_LOCALHOST_ENV_VAR;

/** Gets ENABLED if the variable is "1", DEFAULT if it is not set or empty, otherwise DISABLED. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_get_localhost_only(rmw_localhost_only_t * localhost_only);

#ifdef __cplusplus
}
#endif

#endif
