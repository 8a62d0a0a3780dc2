/** Nodes. */
#ifndef RCL_NODE_H_
#define RCL_NODE_H_

#include <stdbool.h>

#include "rcl/allocator.h"
#include "rcl/arguments.h"
#include "rcl/context.h"
#include "rcl/guard_condition.h"
#include "rcl/macros.h"
#include "rcl/node_options.h"
#include "rcl/types.h"
#include "rcl/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The name of the environment variable that forbids to lend messages. */
RCL_PUBLIC extern const char * const RCL_DISABLE_LOANED_MESSAGES_ENV_VAR;

struct rcl_node_impl_s;
typedef struct rcl_node_impl_s rcl_node_impl_t;

typedef struct rcl_node_s
{
  rcl_context_t * context;
  rcl_node_impl_t * impl;
} rcl_node_t;

/** Returns a node that is not initialized. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_node_t rcl_get_zero_initialized_node(void);

/** Sets the argument to true if ROS_DISABLE_LOANED_MESSAGES is "1", otherwise to false. */
RCL_PUBLIC rcl_ret_t rcl_get_disable_loaned_message(bool * disable_loaned_message);

#ifdef __cplusplus
}
#endif

#endif
