#ifndef RMW_CONVERT_RCUTILS_RET_TO_RMW_RET_H_
#define RMW_CONVERT_RCUTILS_RET_TO_RMW_RET_H_

#include "rcutils/types/rcutils_ret.h"
#include "rmw/ret_types.h"
#include "rmw/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the code of rmw for a code of rcutils; RMW_RET_ERROR if there is no such code. */
RMW_PUBLIC rmw_ret_t rmw_convert_rcutils_ret_to_rmw_ret(rcutils_ret_t rcutils_ret);

#ifdef __cplusplus
}
#endif

#endif
