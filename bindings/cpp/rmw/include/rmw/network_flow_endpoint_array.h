#ifndef RMW_NETWORK_FLOW_ENDPOINT_ARRAY_H_
#define RMW_NETWORK_FLOW_ENDPOINT_ARRAY_H_

#include <stddef.h>

#include "rcutils/allocator.h"
#include "rmw/macros.h"
#include "rmw/network_flow_endpoint.h"
#include "rmw/ret_types.h"
#include "rmw/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An array of addresses. */
typedef struct rmw_network_flow_endpoint_array_s
{
  size_t size;
  rmw_network_flow_endpoint_t * network_flow_endpoint;
  /** Has allocated the addresses; it must outlive them. */
  rcutils_allocator_t * allocator;
} rmw_network_flow_endpoint_array_t;

/** Returns an array without memory. */
RMW_PUBLIC RMW_WARN_UNUSED
rmw_network_flow_endpoint_array_t rmw_get_zero_initialized_network_flow_endpoint_array(void);

/** Returns RMW_RET_ERROR and sets an error if the array has memory. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_network_flow_endpoint_array_check_zero(
  const rmw_network_flow_endpoint_array_t * network_flow_endpoint_array);

/** Makes an array of `size` addresses of unknown protocols. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_network_flow_endpoint_array_init(
  rmw_network_flow_endpoint_array_t * network_flow_endpoint_array, size_t size, rcutils_allocator_t * allocator);

/** Frees the addresses. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_network_flow_endpoint_array_fini(
  rmw_network_flow_endpoint_array_t * network_flow_endpoint_array);

#ifdef __cplusplus
}
#endif

#endif
