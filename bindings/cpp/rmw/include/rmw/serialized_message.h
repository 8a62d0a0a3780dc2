/** Serialized messages: other names for arrays of bytes of rcutils. */
#ifndef RMW_SERIALIZED_MESSAGE_H_
#define RMW_SERIALIZED_MESSAGE_H_

#include "rcutils/types/uint8_array.h"

/** A message in CDR, with the four bytes of its encapsulation. */
typedef rcutils_uint8_array_t rmw_serialized_message_t;

#define rmw_get_zero_initialized_serialized_message rcutils_get_zero_initialized_uint8_array
#define rmw_serialized_message_init(serialized_message, message_capacity, allocator) \
  rcutils_uint8_array_init(serialized_message, message_capacity, allocator)
#define rmw_serialized_message_fini(serialized_message) rcutils_uint8_array_fini(serialized_message)
#define rmw_serialized_message_resize(serialized_message, new_size) \
  rcutils_uint8_array_resize(serialized_message, new_size)

#endif
