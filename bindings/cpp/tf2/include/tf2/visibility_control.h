// The older name of tf2/visibility_control.hpp.
#ifndef TF2_VISIBILITY_CONTROL_H_
#define TF2_VISIBILITY_CONTROL_H_

#include "tf2/visibility_control.hpp"

#endif
