/** Copies of C strings. */
#ifndef RCUTILS_STRDUP_H_
#define RCUTILS_STRDUP_H_

#include <stddef.h>

#include "rcutils/allocator.h"
#include "rcutils/macros.h"
#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Returns a copy of `str`, or NULL if it is NULL or memory is missing. The caller frees it with the allocator. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED char * rcutils_strdup(const char * str, rcutils_allocator_t allocator);

/** Returns a copy of at most the first `string_length` bytes, or NULL as rcutils_strdup does. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
char * rcutils_strndup(const char * str, size_t string_length, rcutils_allocator_t allocator);

#ifdef __cplusplus
}
#endif

#endif
