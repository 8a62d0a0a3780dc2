/** The result of a query of the graph: names, each with its types. */
#ifndef RMW_NAMES_AND_TYPES_H_
#define RMW_NAMES_AND_TYPES_H_

#include <stddef.h>

#include "rcutils/allocator.h"
#include "rcutils/types/string_array.h"
#include "rmw/macros.h"
#include "rmw/ret_types.h"
#include "rmw/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rmw_names_and_types_s
{
  rcutils_string_array_t names;
  /** As many arrays as names: the types of each. */
  rcutils_string_array_t * types;
} rmw_names_and_types_t;

/** Returns a result that is not initialized. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_names_and_types_t rmw_get_zero_initialized_names_and_types(void);

/** Returns RMW_RET_INVALID_ARGUMENT and sets an error if the result has names or types. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_names_and_types_check_zero(rmw_names_and_types_t * names_and_types);

/** Makes a result with `size` NULL names, each without types. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_names_and_types_init(
  rmw_names_and_types_t * names_and_types, size_t size, rcutils_allocator_t * allocator);

/** Frees the names and the types. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_names_and_types_fini(rmw_names_and_types_t * names_and_types);

#ifdef __cplusplus
}
#endif

#endif
