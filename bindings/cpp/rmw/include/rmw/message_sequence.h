/** Arrays for taking many messages at once. */
#ifndef RMW_MESSAGE_SEQUENCE_H_
#define RMW_MESSAGE_SEQUENCE_H_

#include <stddef.h>

#include "rcutils/allocator.h"
#include "rmw/macros.h"
#include "rmw/ret_types.h"
#include "rmw/types.h"
#include "rmw/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Pointers to messages; the messages do not belong to it. */
typedef struct rmw_message_sequence_s
{
  void ** data;
  size_t size;
  size_t capacity;
  rcutils_allocator_t * allocator;
} rmw_message_sequence_t;

/** Information about messages. */
typedef struct rmw_message_info_sequence_s
{
  rmw_message_info_t * data;
  size_t size;
  size_t capacity;
  rcutils_allocator_t * allocator;
} rmw_message_info_sequence_t;

/** Returns a sequence that is not initialized. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_message_sequence_t rmw_get_zero_initialized_message_sequence(void);

/** Makes an empty sequence with memory for `size` elements; the allocator must outlive it. */
RMW_PUBLIC RMW_WARN_UNUSED
rmw_ret_t rmw_message_sequence_init(rmw_message_sequence_t * sequence, size_t size, rcutils_allocator_t * allocator);

/** Frees the memory of a sequence. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_message_sequence_fini(rmw_message_sequence_t * sequence);

/** Returns a sequence that is not initialized. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_message_info_sequence_t rmw_get_zero_initialized_message_info_sequence(void);

/** Makes an empty sequence with memory for `size` elements; the allocator must outlive it. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_message_info_sequence_init(
  rmw_message_info_sequence_t * sequence, size_t size, rcutils_allocator_t * allocator);

/** Frees the memory of a sequence. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_message_info_sequence_fini(rmw_message_info_sequence_t * sequence);

#ifdef __cplusplus
}
#endif

#endif
