/** A set of memory functions that callers hand to the functions of rcutils. */
#ifndef RCUTILS_ALLOCATOR_H_
#define RCUTILS_ALLOCATOR_H_

#include <stdbool.h>
#include <stddef.h>

#include "rcutils/macros.h"
#include "rcutils/types/rcutils_ret.h"
#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rcutils_allocator_s
{
  /** Returns `size` bytes, or NULL. */
  void * (*allocate)(size_t size, void * state);
  /** Frees what one of the other functions returned; NULL is allowed. */
  void (* deallocate)(void * pointer, void * state);
  /** Returns `size` bytes that begin with the old content, or NULL; then the old memory stays valid. */
  void * (*reallocate)(void * pointer, size_t size, void * state);
  /** Returns zeroed memory for `number_of_elements` elements, or NULL. */
  void * (*zero_allocate)(size_t number_of_elements, size_t size_of_element, void * state);
  /** Is passed to each function. */
  void * state;
} rcutils_allocator_t;

/** Returns an allocator without functions, which is not valid. */
RCUTILS_PUBLIC rcutils_allocator_t rcutils_get_zero_initialized_allocator(void);

/** Returns an allocator over malloc, realloc, calloc and free. */
RCUTILS_PUBLIC rcutils_allocator_t rcutils_get_default_allocator(void);

/** Returns true if the allocator is not NULL and has all functions. */
RCUTILS_PUBLIC bool rcutils_allocator_is_valid(const rcutils_allocator_t * allocator);

/** Reallocates as the allocator does, but frees the old memory if that fails; returns NULL then. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED
void * rcutils_reallocf(void * pointer, size_t size, rcutils_allocator_t * allocator);

/** Runs `fail_statement` if the allocator is not valid. */
#define RCUTILS_CHECK_ALLOCATOR(allocator, fail_statement) \
  do { \
    if (!rcutils_allocator_is_valid(allocator)) { \
      fail_statement; \
    } \
  } while (0)

/** Sets the error `msg` and runs `fail_statement` if the allocator is not valid; needs rcutils/error_handling.h. */
#define RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, msg, fail_statement) \
  do { \
    if (!rcutils_allocator_is_valid(allocator)) { \
      RCUTILS_SET_ERROR_MSG(msg); \
      fail_statement; \
    } \
  } while (0)

#ifdef __cplusplus
}
#endif

#endif
