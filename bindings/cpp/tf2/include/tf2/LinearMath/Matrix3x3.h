// The older name of tf2/LinearMath/Matrix3x3.hpp.
#ifndef TF2_LINEARMATH_MATRIX3X3_H_
#define TF2_LINEARMATH_MATRIX3X3_H_

#include "tf2/LinearMath/Matrix3x3.hpp"

#endif
