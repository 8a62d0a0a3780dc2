// The older name of tf2/buffer_core_interface.hpp.
#ifndef TF2_BUFFER_CORE_INTERFACE_H_
#define TF2_BUFFER_CORE_INTERFACE_H_

#include "tf2/buffer_core_interface.hpp"

#endif
