/** A growing array of elements of one size. */
#ifndef RCUTILS_TYPES_ARRAY_LIST_H_
#define RCUTILS_TYPES_ARRAY_LIST_H_

#include <stddef.h>

#include "rcutils/allocator.h"
#include "rcutils/macros.h"
#include "rcutils/types/rcutils_ret.h"
#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rcutils_array_list_impl_s;

typedef struct rcutils_array_list_s
{
  struct rcutils_array_list_impl_s * impl;
} rcutils_array_list_t;

/** Returns a list that is not initialized. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_array_list_t rcutils_get_zero_initialized_array_list(void);

/** Makes an empty list; RCUTILS_RET_INVALID_ARGUMENT if it is initialized, or the capacity or a size is 0. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_array_list_init(
  rcutils_array_list_t * array_list, size_t initial_capacity, size_t data_size,
  const rcutils_allocator_t * allocator);

/** Frees the list; returns RCUTILS_RET_NOT_INITIALIZED if it is not initialized, as all functions below do. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_array_list_fini(rcutils_array_list_t * array_list);

/** Appends a copy of the element. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
rcutils_ret_t rcutils_array_list_add(rcutils_array_list_t * array_list, const void * data);

/** Replaces an element; returns RCUTILS_RET_INVALID_ARGUMENT if the index is out of range. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
rcutils_ret_t rcutils_array_list_set(rcutils_array_list_t * array_list, size_t index, const void * data);

/** Removes an element; returns RCUTILS_RET_INVALID_ARGUMENT if the index is out of range. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
rcutils_ret_t rcutils_array_list_remove(rcutils_array_list_t * array_list, size_t index);

/** Copies an element to `data`; returns RCUTILS_RET_INVALID_ARGUMENT if the index is out of range. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
rcutils_ret_t rcutils_array_list_get(const rcutils_array_list_t * array_list, size_t index, void * data);

/** Gets the number of elements. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
rcutils_ret_t rcutils_array_list_get_size(const rcutils_array_list_t * array_list, size_t * size);

#ifdef __cplusplus
}
#endif

#endif
