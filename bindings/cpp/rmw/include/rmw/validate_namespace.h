/** Checks namespaces. */
#ifndef RMW_VALIDATE_NAMESPACE_H_
#define RMW_VALIDATE_NAMESPACE_H_

#include <stddef.h>

#include "rmw/macros.h"
#include "rmw/types.h"
#include "rmw/validate_full_topic_name.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RMW_NAMESPACE_VALID 0
#define RMW_NAMESPACE_INVALID_IS_EMPTY_STRING 1
#define RMW_NAMESPACE_INVALID_NOT_ABSOLUTE 2
#define RMW_NAMESPACE_INVALID_ENDS_WITH_FORWARD_SLASH 3
#define RMW_NAMESPACE_INVALID_CONTAINS_UNALLOWED_CHARACTERS 4
#define RMW_NAMESPACE_INVALID_CONTAINS_REPEATED_FORWARD_SLASH 5
#define RMW_NAMESPACE_INVALID_NAME_TOKEN_STARTS_WITH_NUMBER 6
#define RMW_NAMESPACE_INVALID_TOO_LONG 7

/** The longest namespace: a slash and a letter must fit behind it into a topic. */
#define RMW_NAMESPACE_MAX_LENGTH (RMW_TOPIC_MAX_NAME_LENGTH - 2U)

/**
 * Sets `validation_result` to the first fault of a namespace, and `invalid_index` to its place.
 *
 * A namespace is "/", or what rmw_validate_full_topic_name accepts. `invalid_index` may be NULL. Returns
 * RMW_RET_INVALID_ARGUMENT if another argument is NULL.
 */
RMW_PUBLIC RMW_WARN_UNUSED
rmw_ret_t rmw_validate_namespace(const char * namespace_, int * validation_result, size_t * invalid_index);

/** As rmw_validate_namespace, for a namespace of `namespace_length` bytes. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_validate_namespace_with_size(
  const char * namespace_, size_t namespace_length, int * validation_result, size_t * invalid_index);

/** Returns a text about a result; NULL for RMW_NAMESPACE_VALID. */
RMW_PUBLIC RMW_WARN_UNUSED const char * rmw_namespace_validation_result_string(int validation_result);

#ifdef __cplusplus
}
#endif

#endif
