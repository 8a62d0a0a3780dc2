/** Small macros. */
#ifndef RMW_MACROS_H_
#define RMW_MACROS_H_

#include "rcutils/macros.h"

/** The text of `x` after macro expansion. */
#define RMW_STRINGIFY(x) RCUTILS_STRINGIFY(x)

/** The compiler warns if the result of the function is not used. */
#define RMW_WARN_UNUSED RCUTILS_WARN_UNUSED

#endif
