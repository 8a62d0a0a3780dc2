// The older name of tf2/transform_datatypes.hpp.
#ifndef TF2_TRANSFORM_DATATYPES_H_
#define TF2_TRANSFORM_DATATYPES_H_

#include "tf2/transform_datatypes.hpp"

#endif
