/** Checks the names of topics and services that programs use. */
#ifndef RCL_VALIDATE_TOPIC_NAME_H_
#define RCL_VALIDATE_TOPIC_NAME_H_

#include <stddef.h>

#include "rcl/macros.h"
#include "rcl/types.h"
#include "rcl/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RCL_TOPIC_NAME_VALID 0
#define RCL_TOPIC_NAME_INVALID_IS_EMPTY_STRING 1
#define RCL_TOPIC_NAME_INVALID_ENDS_WITH_FORWARD_SLASH 2
#define RCL_TOPIC_NAME_INVALID_CONTAINS_UNALLOWED_CHARACTERS 3
#define RCL_TOPIC_NAME_INVALID_NAME_TOKEN_STARTS_WITH_NUMBER 4
#define RCL_TOPIC_NAME_INVALID_UNMATCHED_CURLY_BRACE 5
#define RCL_TOPIC_NAME_INVALID_MISPLACED_TILDE 6
#define RCL_TOPIC_NAME_INVALID_TILDE_NOT_FOLLOWED_BY_FORWARD_SLASH 7
#define RCL_TOPIC_NAME_INVALID_SUBSTITUTION_CONTAINS_UNALLOWED_CHARACTERS 8
#define RCL_TOPIC_NAME_INVALID_SUBSTITUTION_STARTS_WITH_NUMBER 9

/**
 * Sets `validation_result` to the first fault of a name, and `invalid_index` to its place.
 *
 * A name consists of letters, digits, underscores, slashes and names in braces. "~" may come first, alone or before a
 * slash. `invalid_index` may be NULL. Returns RCL_RET_INVALID_ARGUMENT if another argument is NULL.
 */
RCL_PUBLIC RCL_WARN_UNUSED
rcl_ret_t rcl_validate_topic_name(const char * topic_name, int * validation_result, size_t * invalid_index);

/** As rcl_validate_topic_name, for a name of `topic_name_length` bytes. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_validate_topic_name_with_size(
  const char * topic_name, size_t topic_name_length, int * validation_result, size_t * invalid_index);

/** Returns a text about a result; NULL for RCL_TOPIC_NAME_VALID. */
RCL_PUBLIC RCL_WARN_UNUSED const char * rcl_topic_name_validation_result_string(int validation_result);

#ifdef __cplusplus
}
#endif

#endif
