// The older name of tf2/LinearMath/QuadWord.hpp.
#ifndef TF2_LINEARMATH_QUADWORD_H_
#define TF2_LINEARMATH_QUADWORD_H_

#include "tf2/LinearMath/QuadWord.hpp"

#endif
