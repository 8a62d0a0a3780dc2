// The older name of tf2/time.hpp.
#ifndef TF2_TIME_H_
#define TF2_TIME_H_

#include "tf2/time.hpp"

#endif
