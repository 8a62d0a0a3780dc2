// The older name of tf2/convert.hpp.
#ifndef TF2_CONVERT_H_
#define TF2_CONVERT_H_

#include "tf2/convert.hpp"

#endif
