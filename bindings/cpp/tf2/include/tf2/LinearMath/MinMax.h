// The older name of tf2/LinearMath/MinMax.hpp.
#ifndef TF2_LINEARMATH_MINMAX_H_
#define TF2_LINEARMATH_MINMAX_H_

#include "tf2/LinearMath/MinMax.hpp"

#endif
