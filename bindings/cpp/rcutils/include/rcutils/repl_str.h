/** Replacing text in a string. */
#ifndef RCUTILS_REPL_STR_H_
#define RCUTILS_REPL_STR_H_

#include "rcutils/allocator.h"
#include "rcutils/macros.h"
#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Returns `str` with each `from` replaced by `to`; NULL if an argument or memory is missing. The caller frees it. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED char * rcutils_repl_str(
  const char * str, const char * from, const char * to, const rcutils_allocator_t * allocator);

#ifdef __cplusplus
}
#endif

#endif
