/** Makes full names of topics and services. */
#ifndef RCL_EXPAND_TOPIC_NAME_H_
#define RCL_EXPAND_TOPIC_NAME_H_

#include "rcl/allocator.h"
#include "rcl/macros.h"
#include "rcl/types.h"
#include "rcl/visibility_control.h"
#include "rcutils/types/string_map.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Sets `output_topic_name` to the full name for a name that a program uses; free it with the allocator.
 *
 * "~" is the full name of the node, "{node}" its name, and "{ns}" and "{namespace}" its namespace; other names in
 * braces are searched in `substitutions`. A name that does not start with a slash gets the namespace. Returns
 * RCL_RET_TOPIC_NAME_INVALID, RCL_RET_NODE_INVALID_NAME or RCL_RET_NODE_INVALID_NAMESPACE if an argument is not valid,
 * and RCL_RET_UNKNOWN_SUBSTITUTION if a name in braces is unknown.
 */
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_expand_topic_name(
  const char * input_topic_name, const char * node_name, const char * node_namespace,
  const rcutils_string_map_t * substitutions, rcl_allocator_t allocator, char ** output_topic_name);

/** Adds the substitutions that each program has, of which there are none. */
RCL_PUBLIC RCL_WARN_UNUSED
rcl_ret_t rcl_get_default_topic_name_substitutions(rcutils_string_map_t * string_map);

#ifdef __cplusplus
}
#endif

#endif
