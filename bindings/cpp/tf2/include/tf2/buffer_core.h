// The older name of tf2/buffer_core.hpp.
#ifndef TF2_BUFFER_CORE_H_
#define TF2_BUFFER_CORE_H_

#include "tf2/buffer_core.hpp"

#endif
