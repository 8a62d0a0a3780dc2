#ifndef RMW_TOPIC_ENDPOINT_INFO_ARRAY_H_
#define RMW_TOPIC_ENDPOINT_INFO_ARRAY_H_

#include <stddef.h>

#include "rcutils/allocator.h"
#include "rmw/macros.h"
#include "rmw/ret_types.h"
#include "rmw/topic_endpoint_info.h"
#include "rmw/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An array of information about endpoints. */
typedef struct rmw_topic_endpoint_info_array_s
{
  size_t size;
  rmw_topic_endpoint_info_t * info_array;
} rmw_topic_endpoint_info_array_t;

/** Returns an array without memory. */
RMW_PUBLIC RMW_WARN_UNUSED
rmw_topic_endpoint_info_array_t rmw_get_zero_initialized_topic_endpoint_info_array(void);

/** Returns RMW_RET_ERROR and sets an error if the array has memory. */
RMW_PUBLIC RMW_WARN_UNUSED
rmw_ret_t rmw_topic_endpoint_info_array_check_zero(rmw_topic_endpoint_info_array_t * topic_endpoint_info_array);

/** Makes an array of `size` elements in which all is zero. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_topic_endpoint_info_array_init_with_size(
  rmw_topic_endpoint_info_array_t * topic_endpoint_info_array, size_t size, rcutils_allocator_t * allocator);

/** Frees the elements. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_topic_endpoint_info_array_fini(
  rmw_topic_endpoint_info_array_t * topic_endpoint_info_array, rcutils_allocator_t * allocator);

#ifdef __cplusplus
}
#endif

#endif
