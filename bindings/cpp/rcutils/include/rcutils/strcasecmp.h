/** Comparing strings without regard to the case of ASCII letters. */
#ifndef RCUTILS_STRCASECMP_H_
#define RCUTILS_STRCASECMP_H_

#include <stddef.h>

#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Sets `res` to less than, equal to or greater than 0; returns 0, or -1 if an argument is NULL. */
RCUTILS_PUBLIC int rcutils_strcasecmp(const char * s1, const char * s2, int * res);

/** As rcutils_strcasecmp, for the first `n` bytes. */
RCUTILS_PUBLIC int rcutils_strncasecmp(const char * s1, const char * s2, size_t n, int * res);

#ifdef __cplusplus
}
#endif

#endif
