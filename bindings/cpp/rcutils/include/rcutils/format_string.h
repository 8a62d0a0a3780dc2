/** Formatting into new memory. */
#ifndef RCUTILS_FORMAT_STRING_H_
#define RCUTILS_FORMAT_STRING_H_

#include <stddef.h>

#include "rcutils/allocator.h"
#include "rcutils/macros.h"
#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Formats into a new string of at most 2048 bytes, as rcutils_format_string_limit does. */
#define rcutils_format_string(allocator, ...) rcutils_format_string_limit(allocator, 2048, __VA_ARGS__)

/** Returns a new string of at most `limit` bytes with the terminator, or NULL. The caller frees it. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED RCUTILS_ATTRIBUTE_PRINTF_FORMAT(3, 4)
char * rcutils_format_string_limit(rcutils_allocator_t allocator, size_t limit, const char * format_string, ...);

#ifdef __cplusplus
}
#endif

#endif
