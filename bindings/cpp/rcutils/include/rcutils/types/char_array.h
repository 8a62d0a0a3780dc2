/** A growing buffer of characters. */
#ifndef RCUTILS_TYPES_CHAR_ARRAY_H_
#define RCUTILS_TYPES_CHAR_ARRAY_H_

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "rcutils/allocator.h"
#include "rcutils/macros.h"
#include "rcutils/types/rcutils_ret.h"
#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rcutils_char_array_s
{
  char * buffer;
  /** False if the caller gave the buffer: then it is copied, not freed, when it must grow. */
  bool owns_buffer;
  /** Bytes in use, with the terminator of a string. */
  size_t buffer_length;
  /** Bytes of memory. */
  size_t buffer_capacity;
  rcutils_allocator_t allocator;
} rcutils_char_array_t;

/** Returns an array without memory and without allocator. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_char_array_t rcutils_get_zero_initialized_char_array(void);

/** Makes an empty array; returns RCUTILS_RET_ERROR for wrong arguments, or RCUTILS_RET_BAD_ALLOC. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_char_array_init(
  rcutils_char_array_t * char_array, size_t buffer_capacity, const rcutils_allocator_t * allocator);

/** Frees the buffer if the array owns it; returns RCUTILS_RET_ERROR if the array or its allocator is not valid. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_char_array_fini(rcutils_char_array_t * char_array);

/** Sets the capacity, and cuts the length to it; a size of 0 is RCUTILS_RET_INVALID_ARGUMENT. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
rcutils_ret_t rcutils_char_array_resize(rcutils_char_array_t * char_array, size_t new_size);

/** Makes the capacity at least `new_size`. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
rcutils_ret_t rcutils_char_array_expand_as_needed(rcutils_char_array_t * char_array, size_t new_size);

/** Replaces the content by formatted text. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED RCUTILS_ATTRIBUTE_PRINTF_FORMAT(2, 0)
rcutils_ret_t rcutils_char_array_vsprintf(rcutils_char_array_t * char_array, const char * format, va_list args);

/** Replaces the content by `n` bytes of `src`, without a terminator. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
rcutils_ret_t rcutils_char_array_memcpy(rcutils_char_array_t * char_array, const char * src, size_t n);

/** Replaces the content by a string. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
rcutils_ret_t rcutils_char_array_strcpy(rcutils_char_array_t * char_array, const char * src);

/** Appends at most `n` bytes of a string. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
rcutils_ret_t rcutils_char_array_strncat(rcutils_char_array_t * char_array, const char * src, size_t n);

/** Appends a string. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
rcutils_ret_t rcutils_char_array_strcat(rcutils_char_array_t * char_array, const char * src);

#ifdef __cplusplus
}
#endif

#endif
