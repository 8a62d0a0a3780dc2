/** Small macros that hide differences between C, C++ and compilers. */
#ifndef RCUTILS_MACROS_H_
#define RCUTILS_MACROS_H_

#include "rcutils/testing/fault_injection.h"

#ifdef __cplusplus
#define RCUTILS_THREAD_LOCAL thread_local
#else
#define RCUTILS_THREAD_LOCAL __thread
#endif

/** The compiler warns if the result of the function is not used. */
#define RCUTILS_WARN_UNUSED __attribute__((warn_unused_result))

/** The compiler warns, with `msg`, if the declaration is used. */
#define RCUTILS_DEPRECATED_WITH_MSG(msg) __attribute__((deprecated(msg)))

/** The compiler checks a printf format and the arguments from `first_argument` on; both indexes count from 1. */
#define RCUTILS_ATTRIBUTE_PRINTF_FORMAT(format_index, first_argument) \
  __attribute__((format(printf, format_index, first_argument)))

#define RCUTILS_STRINGIFY_IMPL(x) #x
/** The text of `x` after macro expansion. */
#define RCUTILS_STRINGIFY(x) RCUTILS_STRINGIFY_IMPL(x)

#define RCUTILS_JOIN_IMPL(a, b) a ## b
/** The token `ab` after macro expansion of both. */
#define RCUTILS_JOIN(a, b) RCUTILS_JOIN_IMPL(a, b)

/** Marks a variable or parameter as used. */
#define RCUTILS_UNUSED(x) ((void)(x))

#define RCUTILS_LIKELY(x) __builtin_expect(!!(x), 1)
#define RCUTILS_UNLIKELY(x) __builtin_expect(!!(x), 0)

#endif
