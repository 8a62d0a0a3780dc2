/** The results of queries of the graph: other names for those of rmw. */
#ifndef RCL_GRAPH_H_
#define RCL_GRAPH_H_

#include <stddef.h>

#include "rcl/client.h"
#include "rcl/macros.h"
#include "rcl/node.h"
#include "rcl/types.h"
#include "rcl/visibility_control.h"
#include "rcutils/time.h"
#include "rcutils/types.h"
#include "rmw/names_and_types.h"
#include "rmw/topic_endpoint_info_array.h"
#include "rosidl_runtime_c/service_type_support_struct.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef rmw_names_and_types_t rcl_names_and_types_t;
typedef rmw_topic_endpoint_info_t rcl_topic_endpoint_info_t;
typedef rmw_topic_endpoint_info_array_t rcl_topic_endpoint_info_array_t;

#define rcl_get_zero_initialized_names_and_types rmw_get_zero_initialized_names_and_types
#define rcl_get_zero_initialized_topic_endpoint_info_array rmw_get_zero_initialized_topic_endpoint_info_array
#define rcl_topic_endpoint_info_array_fini rmw_topic_endpoint_info_array_fini

/** Makes a result with `size` NULL names, each without types. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_names_and_types_init(
  rcl_names_and_types_t * names_and_types, size_t size, rcl_allocator_t * allocator);

/** Frees the names and the types. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_names_and_types_fini(rcl_names_and_types_t * names_and_types);

#ifdef __cplusplus
}
#endif

#endif
