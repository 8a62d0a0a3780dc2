// The older name of tf2/exceptions.hpp.
#ifndef TF2_EXCEPTIONS_H_
#define TF2_EXCEPTIONS_H_

#include "tf2/exceptions.hpp"

#endif
