/** Small macros: other names for those of rcutils. */
#ifndef RCL_MACROS_H_
#define RCL_MACROS_H_

#include "rcutils/macros.h"

/** The compiler warns if the result of the function is not used. */
#define RCL_WARN_UNUSED RCUTILS_WARN_UNUSED

/** Marks a variable or parameter as used. */
#define RCL_UNUSED(x) RCUTILS_UNUSED(x)

#endif
