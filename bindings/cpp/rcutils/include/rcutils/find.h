/** Searching a character in a string. */
#ifndef RCUTILS_FIND_H_
#define RCUTILS_FIND_H_

#include <stddef.h>

#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Returns the index of the first `delimiter`, or SIZE_MAX if there is none or `str` is NULL or empty. */
RCUTILS_PUBLIC size_t rcutils_find(const char * str, char delimiter);

/** As rcutils_find, in the first `string_length` bytes. */
RCUTILS_PUBLIC size_t rcutils_findn(const char * str, char delimiter, size_t string_length);

/** Returns the index of the last `delimiter`, or SIZE_MAX if there is none or `str` is NULL or empty. */
RCUTILS_PUBLIC size_t rcutils_find_last(const char * str, char delimiter);

/** As rcutils_find_last, in the first `string_length` bytes. */
RCUTILS_PUBLIC size_t rcutils_find_lastn(const char * str, char delimiter, size_t string_length);

#ifdef __cplusplus
}
#endif

#endif
