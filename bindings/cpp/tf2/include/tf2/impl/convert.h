// The older name of tf2/impl/convert.hpp.
#ifndef TF2_IMPL_CONVERT_H_
#define TF2_IMPL_CONVERT_H_

#include "tf2/impl/convert.hpp"

#endif
