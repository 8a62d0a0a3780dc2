/** Checks the full names of topics and services. */
#ifndef RMW_VALIDATE_FULL_TOPIC_NAME_H_
#define RMW_VALIDATE_FULL_TOPIC_NAME_H_

#include <stddef.h>

#include "rmw/macros.h"
#include "rmw/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RMW_TOPIC_VALID 0
#define RMW_TOPIC_INVALID_IS_EMPTY_STRING 1
#define RMW_TOPIC_INVALID_NOT_ABSOLUTE 2
#define RMW_TOPIC_INVALID_ENDS_WITH_FORWARD_SLASH 3
#define RMW_TOPIC_INVALID_CONTAINS_UNALLOWED_CHARACTERS 4
#define RMW_TOPIC_INVALID_CONTAINS_REPEATED_FORWARD_SLASH 5
#define RMW_TOPIC_INVALID_NAME_TOKEN_STARTS_WITH_NUMBER 6
#define RMW_TOPIC_INVALID_TOO_LONG 7

/** The longest name: 255 bytes, without 8 that a middleware may put before it. */
#define RMW_TOPIC_MAX_NAME_LENGTH (255U - 8U)

/**
 * Sets `validation_result` to the first fault of a name, and `invalid_index` to its place.
 *
 * A full name starts with a slash. Between slashes are letters, digits and underscores, and no digit comes first.
 * `invalid_index` may be NULL. Returns RMW_RET_INVALID_ARGUMENT if another argument is NULL.
 */
RMW_PUBLIC RMW_WARN_UNUSED
rmw_ret_t rmw_validate_full_topic_name(const char * topic_name, int * validation_result, size_t * invalid_index);

/** As rmw_validate_full_topic_name, for a name of `topic_name_length` bytes. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_validate_full_topic_name_with_size(
  const char * topic_name, size_t topic_name_length, int * validation_result, size_t * invalid_index);

/** Returns a text about a result; NULL for RMW_TOPIC_VALID. */
RMW_PUBLIC RMW_WARN_UNUSED const char * rmw_full_topic_name_validation_result_string(int validation_result);

#ifdef __cplusplus
}
#endif

#endif
