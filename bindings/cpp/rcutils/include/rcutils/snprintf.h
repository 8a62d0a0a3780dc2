/** Formatting into buffers of known size. */
#ifndef RCUTILS_SNPRINTF_H_
#define RCUTILS_SNPRINTF_H_

#include <stdarg.h>
#include <stddef.h>

#include "rcutils/macros.h"
#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Writes at most `buffer_size` bytes with the terminator, and returns the length of the whole text without it.
 *
 * Returns -1 if the format is NULL, or only one of the buffer and its size is 0.
 */
RCUTILS_PUBLIC RCUTILS_ATTRIBUTE_PRINTF_FORMAT(3, 4)
int rcutils_snprintf(char * buffer, size_t buffer_size, const char * format, ...);

/** As rcutils_snprintf, with a list of arguments. */
RCUTILS_PUBLIC RCUTILS_ATTRIBUTE_PRINTF_FORMAT(3, 0)
int rcutils_vsnprintf(char * buffer, size_t buffer_size, const char * format, va_list args);

#ifdef __cplusplus
}
#endif

#endif
