// The older name of tf2/LinearMath/Transform.hpp.
#ifndef TF2_LINEARMATH_TRANSFORM_H_
#define TF2_LINEARMATH_TRANSFORM_H_

#include "tf2/LinearMath/Transform.hpp"

#endif
