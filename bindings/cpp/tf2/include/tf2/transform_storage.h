// The older name of tf2/transform_storage.hpp.
#ifndef TF2_TRANSFORM_STORAGE_H_
#define TF2_TRANSFORM_STORAGE_H_

#include "tf2/transform_storage.hpp"

#endif
