/** The context of rmw. */
#ifndef RMW_INIT_H_
#define RMW_INIT_H_

#include <stddef.h>
#include <stdint.h>

#include "rmw/init_options.h"
#include "rmw/macros.h"
#include "rmw/ret_types.h"
#include "rmw/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rmw_context_impl_s;
typedef struct rmw_context_impl_s rmw_context_impl_t;

/** What a middleware has between its start and its end. */
typedef struct rmw_context_s
{
  uint64_t instance_id;
  const char * implementation_identifier;
  rmw_init_options_t options;
  /** The domain in use, never RMW_DEFAULT_DOMAIN_ID. */
  size_t actual_domain_id;
  rmw_context_impl_t * impl;
} rmw_context_t;

/** Returns a context that is not initialized. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_context_t rmw_get_zero_initialized_context(void);

#ifdef __cplusplus
}
#endif

#endif
