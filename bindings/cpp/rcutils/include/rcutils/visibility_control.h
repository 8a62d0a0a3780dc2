/** Visibility of the functions of rcutils. */
#ifndef RCUTILS_VISIBILITY_CONTROL_H_
#define RCUTILS_VISIBILITY_CONTROL_H_

#include "rcutils/visibility_control_macros.h"

#define RCUTILS_PUBLIC RCUTILS_EXPORT
#define RCUTILS_PUBLIC_TYPE

#endif
