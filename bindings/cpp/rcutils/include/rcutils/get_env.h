/** The older name of rcutils/env.h. */
#ifndef RCUTILS_GET_ENV_H_
#define RCUTILS_GET_ENV_H_

#include "rcutils/env.h"

#endif
