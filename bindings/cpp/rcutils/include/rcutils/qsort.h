/** Sorting. */
#ifndef RCUTILS_QSORT_H_
#define RCUTILS_QSORT_H_

#include <stddef.h>

#include "rcutils/macros.h"
#include "rcutils/types/rcutils_ret.h"
#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Sorts `count` elements; returns RCUTILS_RET_INVALID_ARGUMENT if an argument is missing. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_qsort(
  void * ptr, size_t count, size_t size, int (* comp)(const void *, const void *));

#ifdef __cplusplus
}
#endif

#endif
