#ifndef RMW_SANITY_CHECKS_H_
#define RMW_SANITY_CHECKS_H_

#include "rcutils/types/string_array.h"
#include "rmw/macros.h"
#include "rmw/ret_types.h"
#include "rmw/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Returns RMW_RET_INVALID_ARGUMENT and sets an error if the array is NULL, and RMW_RET_ERROR if it is not empty. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_check_zero_rmw_string_array(rcutils_string_array_t * array);

#ifdef __cplusplus
}
#endif

#endif
