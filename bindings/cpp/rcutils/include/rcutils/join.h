/** Joining strings. */
#ifndef RCUTILS_JOIN_H_
#define RCUTILS_JOIN_H_

#include "rcutils/allocator.h"
#include "rcutils/macros.h"
#include "rcutils/types/string_array.h"
#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the strings with `delimiter` between them, or NULL if an argument is wrong. The caller frees the result. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED char * rcutils_join(
  const rcutils_string_array_t * string_array, const char * delimiter, rcutils_allocator_t allocator);

#ifdef __cplusplus
}
#endif

#endif
