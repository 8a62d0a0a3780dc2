// The older name of tf2/LinearMath/Vector3.hpp.
#ifndef TF2_LINEARMATH_VECTOR3_H_
#define TF2_LINEARMATH_VECTOR3_H_

#include "tf2/LinearMath/Vector3.hpp"

#endif
