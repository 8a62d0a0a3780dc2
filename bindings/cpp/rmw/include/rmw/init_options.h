/** Options for the start of a middleware. */
#ifndef RMW_INIT_OPTIONS_H_
#define RMW_INIT_OPTIONS_H_

#include <stddef.h>
#include <stdint.h>

#include "rcutils/allocator.h"
#include "rmw/discovery_options.h"
#include "rmw/domain_id.h"
#include "rmw/localhost.h"
#include "rmw/macros.h"
#include "rmw/ret_types.h"
#include "rmw/security_options.h"
#include "rmw/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rmw_init_options_impl_s;
typedef struct rmw_init_options_impl_s rmw_init_options_impl_t;

typedef struct rmw_init_options_s
{
  uint64_t instance_id;
  const char * implementation_identifier;
  /** RMW_DEFAULT_DOMAIN_ID or the domain. */
  size_t domain_id;
  rmw_security_options_t security_options;
  rmw_localhost_only_t localhost_only;
  rmw_discovery_options_t discovery_options;
  /** Belongs to the options; NULL is allowed. */
  char * enclave;
  rcutils_allocator_t allocator;
  rmw_init_options_impl_t * impl;
} rmw_init_options_t;

/** Returns options that are not initialized. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_init_options_t rmw_get_zero_initialized_init_options(void);

/** Sets the defaults; returns RMW_RET_INVALID_ARGUMENT if the options are initialized. */
RMW_PUBLIC RMW_WARN_UNUSED
rmw_ret_t rmw_init_options_init(rmw_init_options_t * init_options, rcutils_allocator_t allocator);

/** Copies options; returns RMW_RET_INVALID_ARGUMENT if `dst` is initialized. */
RMW_PUBLIC RMW_WARN_UNUSED
rmw_ret_t rmw_init_options_copy(const rmw_init_options_t * src, rmw_init_options_t * dst);

/** Frees what options have. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_init_options_fini(rmw_init_options_t * init_options);

#ifdef __cplusplus
}
#endif

#endif
