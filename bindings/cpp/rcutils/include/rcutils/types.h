/** All types of rcutils. */
#ifndef RCUTILS_TYPES_H_
#define RCUTILS_TYPES_H_

#include "rcutils/types/array_list.h"
#include "rcutils/types/char_array.h"
#include "rcutils/types/hash_map.h"
#include "rcutils/types/rcutils_ret.h"
#include "rcutils/types/string_array.h"
#include "rcutils/types/string_map.h"
#include "rcutils/types/uint8_array.h"

#endif
