/** An array of strings. */
#ifndef RCUTILS_TYPES_STRING_ARRAY_H_
#define RCUTILS_TYPES_STRING_ARRAY_H_

#include <stddef.h>

#include "rcutils/allocator.h"
#include "rcutils/error_handling.h"
#include "rcutils/macros.h"
#include "rcutils/qsort.h"
#include "rcutils/types/rcutils_ret.h"
#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rcutils_string_array_s
{
  size_t size;
  /** Each string belongs to the array and comes from its allocator; NULL is allowed. */
  char ** data;
  rcutils_allocator_t allocator;
} rcutils_string_array_t;

/** Returns an empty array without allocator. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_string_array_t rcutils_get_zero_initialized_string_array(void);

/** Makes an array of `size` NULL strings; returns RCUTILS_RET_INVALID_ARGUMENT or RCUTILS_RET_BAD_ALLOC. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_string_array_init(
  rcutils_string_array_t * string_array, size_t size, const rcutils_allocator_t * allocator);

/** Frees the strings and the array. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_string_array_fini(rcutils_string_array_t * string_array);

/** Sets `res` to less than, equal to or greater than 0 by the order of the strings, then of the sizes. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_string_array_cmp(
  const rcutils_string_array_t * lhs, const rcutils_string_array_t * rhs, int * res);

/** Sets the size: new strings are NULL, strings behind the end are freed. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
rcutils_ret_t rcutils_string_array_resize(rcutils_string_array_t * string_array, size_t new_size);

/** Compares two `char *` elements for qsort; NULL comes last. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED int rcutils_string_array_sort_compare(const void * lhs, const void * rhs);

/** Sorts the strings; NULL comes last. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_string_array_sort(rcutils_string_array_t * string_array);

#ifdef __cplusplus
}
#endif

#endif
