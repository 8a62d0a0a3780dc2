/** Splitting a string at a character. */
#ifndef RCUTILS_SPLIT_H_
#define RCUTILS_SPLIT_H_

#include "rcutils/allocator.h"
#include "rcutils/types.h"
#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Splits `str` at each `delimiter` and leaves out empty tokens.
 *
 * NULL or "" gives an empty array. The caller finishes the array with rcutils_string_array_fini.
 * Returns RCUTILS_RET_INVALID_ARGUMENT for wrong arguments, or RCUTILS_RET_BAD_ALLOC.
 */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_split(
  const char * str, char delimiter, rcutils_allocator_t allocator, rcutils_string_array_t * string_array);

/** Splits `str` at its last `delimiter` into at most two tokens, without delimiters at their ends. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_split_last(
  const char * str, char delimiter, rcutils_allocator_t allocator, rcutils_string_array_t * string_array);

#ifdef __cplusplus
}
#endif

#endif
