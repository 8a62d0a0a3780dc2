// The older name of tf2/LinearMath/Quaternion.hpp.
#ifndef TF2_LINEARMATH_QUATERNION_H_
#define TF2_LINEARMATH_QUATERNION_H_

#include "tf2/LinearMath/Quaternion.hpp"

#endif
