// The older name of tf2/LinearMath/Scalar.hpp.
#ifndef TF2_LINEARMATH_SCALAR_H_
#define TF2_LINEARMATH_SCALAR_H_

#include "tf2/LinearMath/Scalar.hpp"

#endif
