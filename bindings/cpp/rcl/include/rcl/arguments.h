/** Arguments of programs. */
#ifndef RCL_ARGUMENTS_H_
#define RCL_ARGUMENTS_H_

#include "rcl/macros.h"
#include "rcl/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RCL_ROS_ARGS_FLAG "--ros-args"
#define RCL_ROS_ARGS_EXPLICIT_END_TOKEN "--"
#define RCL_PARAM_FLAG "--param"
#define RCL_SHORT_PARAM_FLAG "-p"
#define RCL_PARAM_FILE_FLAG "--params-file"
#define RCL_REMAP_FLAG "--remap"
#define RCL_SHORT_REMAP_FLAG "-r"
#define RCL_ENCLAVE_FLAG "--enclave"
#define RCL_SHORT_ENCLAVE_FLAG "-e"
#define RCL_LOG_LEVEL_FLAG "--log-level"
#define RCL_EXTERNAL_LOG_FILE_NAME_PREFIX "--log-file-name"
#define RCL_EXTERNAL_LOG_CONFIG_FLAG "--log-config-file"
/* These follow "--enable-" or "--disable-". */
#define RCL_LOG_STDOUT_FLAG_SUFFIX "stdout-logs"
#define RCL_LOG_ROSOUT_FLAG_SUFFIX "rosout-logs"
#define RCL_LOG_EXT_LIB_FLAG_SUFFIX "external-lib-logs"

struct rcl_arguments_impl_s;
typedef struct rcl_arguments_impl_s rcl_arguments_impl_t;

/** Arguments that were parsed. */
typedef struct rcl_arguments_s
{
  rcl_arguments_impl_t * impl;
} rcl_arguments_t;

/** Returns arguments that are not initialized. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_arguments_t rcl_get_zero_initialized_arguments(void);

#ifdef __cplusplus
}
#endif

#endif
