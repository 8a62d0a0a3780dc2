// The older name of tf2/utils.hpp.
#ifndef TF2_UTILS_H_
#define TF2_UTILS_H_

#include "tf2/utils.hpp"

#endif
