#ifndef RCL_DOMAIN_ID_H_
#define RCL_DOMAIN_ID_H_

#include <stddef.h>

#include "rcl/macros.h"
#include "rcl/types.h"
#include "rcl/visibility_control.h"
#include "rmw/domain_id.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Stands for the domain that the middleware chooses. */
#define RCL_DEFAULT_DOMAIN_ID RMW_DEFAULT_DOMAIN_ID

/** The name of the environment variable with the domain. */
RCL_PUBLIC extern const char * const RCL_DOMAIN_ID_ENV_VAR;

/** Gets the domain of the environment; `domain_id` stays if the variable is not set or empty. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_get_default_domain_id(size_t * domain_id);

#ifdef __cplusplus
}
#endif

#endif
