/** The context of nodes. */
#ifndef RCL_CONTEXT_H_
#define RCL_CONTEXT_H_

#include <stdint.h>

#include "rcl/arguments.h"
#include "rcl/init_options.h"
#include "rcl/macros.h"
#include "rcl/types.h"
#include "rcl/visibility_control.h"
#include "rmw/init.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef uint64_t rcl_context_instance_id_t;

struct rcl_context_impl_s;
typedef struct rcl_context_impl_s rcl_context_impl_t;

/** What nodes have between the start and the shutdown. */
typedef struct rcl_context_s
{
  rcl_arguments_t global_arguments;
  rcl_context_impl_t * impl;
  /** The instance id; 0 before the start and after the shutdown. */
  uint64_t instance_id_storage;
} rcl_context_t;

/** Returns a context that is not initialized. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_context_t rcl_get_zero_initialized_context(void);

#ifdef __cplusplus
}
#endif

#endif
