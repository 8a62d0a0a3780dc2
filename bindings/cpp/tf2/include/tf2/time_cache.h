// The older name of tf2/time_cache.hpp.
#ifndef TF2_TIME_CACHE_H_
#define TF2_TIME_CACHE_H_

#include "tf2/time_cache.hpp"

#endif
