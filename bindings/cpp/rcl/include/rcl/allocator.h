/** Allocators: other names for those of rcutils. */
#ifndef RCL_ALLOCATOR_H_
#define RCL_ALLOCATOR_H_

#include "rcutils/allocator.h"

typedef rcutils_allocator_t rcl_allocator_t;

#define rcl_get_default_allocator rcutils_get_default_allocator
#define rcl_reallocf rcutils_reallocf

#define RCL_CHECK_ALLOCATOR(allocator, fail_statement) RCUTILS_CHECK_ALLOCATOR(allocator, fail_statement)
#define RCL_CHECK_ALLOCATOR_WITH_MSG(allocator, msg, fail_statement) \
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, msg, fail_statement)

#endif
