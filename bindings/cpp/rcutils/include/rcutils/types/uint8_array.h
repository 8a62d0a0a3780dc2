/** A growing array of bytes, for example a serialized message. */
#ifndef RCUTILS_TYPES_UINT8_ARRAY_H_
#define RCUTILS_TYPES_UINT8_ARRAY_H_

#include <stddef.h>
#include <stdint.h>

#include "rcutils/allocator.h"
#include "rcutils/macros.h"
#include "rcutils/types/rcutils_ret.h"
#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rcutils_uint8_array_s
{
  uint8_t * buffer;
  /** Bytes in use. */
  size_t buffer_length;
  /** Bytes of memory. */
  size_t buffer_capacity;
  rcutils_allocator_t allocator;
} rcutils_uint8_array_t;

/** Returns an array without memory and without allocator. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_uint8_array_t rcutils_get_zero_initialized_uint8_array(void);

/** Makes an empty array; returns RCUTILS_RET_INVALID_ARGUMENT or RCUTILS_RET_BAD_ALLOC if that fails. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_uint8_array_init(
  rcutils_uint8_array_t * uint8_array, size_t buffer_capacity, const rcutils_allocator_t * allocator);

/** Frees the memory; returns RCUTILS_RET_INVALID_ARGUMENT if the array is NULL or its allocator is not valid. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_uint8_array_fini(rcutils_uint8_array_t * uint8_array);

/**
 * Sets the capacity, and cuts the length to it; a size of 0 is RCUTILS_RET_INVALID_ARGUMENT.
 *
 * The array is unchanged if RCUTILS_RET_BAD_ALLOC is returned.
 */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
rcutils_ret_t rcutils_uint8_array_resize(rcutils_uint8_array_t * uint8_array, size_t new_size);

#ifdef __cplusplus
}
#endif

#endif
