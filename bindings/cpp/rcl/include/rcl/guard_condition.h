/** Guard conditions, with which a program wakes a wait set. */
#ifndef RCL_GUARD_CONDITION_H_
#define RCL_GUARD_CONDITION_H_

#include "rcl/allocator.h"
#include "rcl/context.h"
#include "rcl/macros.h"
#include "rcl/types.h"
#include "rcl/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rcl_guard_condition_impl_s;
typedef struct rcl_guard_condition_impl_s rcl_guard_condition_impl_t;

typedef struct rcl_guard_condition_s
{
  rcl_context_t * context;
  rcl_guard_condition_impl_t * impl;
} rcl_guard_condition_t;

typedef struct rcl_guard_condition_options_s
{
  rcl_allocator_t allocator;
} rcl_guard_condition_options_t;

/** Returns a guard condition that is not initialized. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_guard_condition_t rcl_get_zero_initialized_guard_condition(void);

/** Returns options with the defaults. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_guard_condition_options_t rcl_guard_condition_get_default_options(void);

#ifdef __cplusplus
}
#endif

#endif
