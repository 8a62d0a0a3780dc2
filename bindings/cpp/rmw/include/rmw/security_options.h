/** Options of security. Saltus has no security: it only keeps them. */
#ifndef RMW_SECURITY_OPTIONS_H_
#define RMW_SECURITY_OPTIONS_H_

#include "rcutils/allocator.h"
#include "rmw/macros.h"
#include "rmw/ret_types.h"
#include "rmw/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rmw_security_enforcement_policy_e
{
  RMW_SECURITY_ENFORCEMENT_PERMISSIVE,
  RMW_SECURITY_ENFORCEMENT_ENFORCE
} rmw_security_enforcement_policy_t;

typedef struct rmw_security_options_s
{
  rmw_security_enforcement_policy_t enforce_security;
  /** Belongs to the options; NULL is allowed. */
  char * security_root_path;
} rmw_security_options_t;

/** Returns options without a path that do not enforce security. */
RMW_PUBLIC rmw_security_options_t rmw_get_zero_initialized_security_options(void);

/** Returns the same as rmw_get_zero_initialized_security_options. */
RMW_PUBLIC rmw_security_options_t rmw_get_default_security_options(void);

/** Copies options; the old path of `dst` is not freed. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_security_options_copy(
  const rmw_security_options_t * src, const rcutils_allocator_t * allocator, rmw_security_options_t * dst);

/** Sets the path; the old path is not freed. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_security_options_set_root_path(
  const char * security_root_path, const rcutils_allocator_t * allocator, rmw_security_options_t * security_options);

/** Frees the path. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_security_options_fini(
  rmw_security_options_t * security_options, const rcutils_allocator_t * allocator);

#ifdef __cplusplus
}
#endif

#endif
