/** Options for the start of a context. */
#ifndef RCL_INIT_OPTIONS_H_
#define RCL_INIT_OPTIONS_H_

#include <stddef.h>

#include "rcl/allocator.h"
#include "rcl/macros.h"
#include "rcl/types.h"
#include "rcl/visibility_control.h"
#include "rmw/init.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rcl_init_options_impl_s;
typedef struct rcl_init_options_impl_s rcl_init_options_impl_t;

typedef struct rcl_init_options_s
{
  rcl_init_options_impl_t * impl;
} rcl_init_options_t;

/** Returns options that are not initialized. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_init_options_t rcl_get_zero_initialized_init_options(void);

/** Makes options with the defaults; RCL_RET_ALREADY_INIT if they are initialized. */
RCL_PUBLIC RCL_WARN_UNUSED
rcl_ret_t rcl_init_options_init(rcl_init_options_t * init_options, rcl_allocator_t allocator);

/** Copies options; RCL_RET_ALREADY_INIT if `dst` is initialized. */
RCL_PUBLIC RCL_WARN_UNUSED
rcl_ret_t rcl_init_options_copy(const rcl_init_options_t * src, rcl_init_options_t * dst);

/** Frees options. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_init_options_fini(rcl_init_options_t * init_options);

/** Gets the domain; RCL_DEFAULT_DOMAIN_ID until it is set. */
RCL_PUBLIC RCL_WARN_UNUSED
rcl_ret_t rcl_init_options_get_domain_id(const rcl_init_options_t * init_options, size_t * domain_id);

/** Sets the domain. */
RCL_PUBLIC RCL_WARN_UNUSED
rcl_ret_t rcl_init_options_set_domain_id(rcl_init_options_t * init_options, size_t domain_id);

/** Returns the options of rmw, which belong to these options; NULL if these are not initialized. */
RCL_PUBLIC RCL_WARN_UNUSED
rmw_init_options_t * rcl_init_options_get_rmw_init_options(rcl_init_options_t * init_options);

/** Returns the allocator of the options; NULL if they are not initialized. */
RCL_PUBLIC RCL_WARN_UNUSED
const rcl_allocator_t * rcl_init_options_get_allocator(const rcl_init_options_t * init_options);

#ifdef __cplusplus
}
#endif

#endif
