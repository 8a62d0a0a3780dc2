/** Options of nodes. */
#ifndef RCL_NODE_OPTIONS_H_
#define RCL_NODE_OPTIONS_H_

#include <stdbool.h>

#include "rcl/allocator.h"
#include "rcl/arguments.h"
#include "rcl/domain_id.h"
#include "rcl/macros.h"
#include "rcl/types.h"
#include "rcl/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RCL_NODE_OPTIONS_DEFAULT_DOMAIN_ID RCL_DEFAULT_DOMAIN_ID

typedef struct rcl_node_options_s
{
  rcl_allocator_t allocator;
  /** Uses the arguments of the program, too. */
  bool use_global_arguments;
  /** The arguments of this node. */
  rcl_arguments_t arguments;
  /** Publishes the log on /rosout. */
  bool enable_rosout;
  rmw_qos_profile_t rosout_qos;
} rcl_node_options_t;

/** Returns options with the defaults. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_node_options_t rcl_node_get_default_options(void);

#ifdef __cplusplus
}
#endif

#endif
