// The older name of tf2/impl/utils.hpp.
#ifndef TF2_IMPL_UTILS_H_
#define TF2_IMPL_UTILS_H_

#include "tf2/impl/utils.hpp"

#endif
