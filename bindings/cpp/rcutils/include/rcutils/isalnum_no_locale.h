/** Character classes that do not depend on the locale. */
#ifndef RCUTILS_ISALNUM_NO_LOCALE_H_
#define RCUTILS_ISALNUM_NO_LOCALE_H_

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Returns true if `c` is an ASCII letter or digit. */
static inline bool rcutils_isalnum_no_locale(char c)
{
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

#ifdef __cplusplus
}
#endif

#endif
