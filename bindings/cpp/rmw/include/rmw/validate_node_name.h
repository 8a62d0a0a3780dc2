/** Checks the names of nodes. */
#ifndef RMW_VALIDATE_NODE_NAME_H_
#define RMW_VALIDATE_NODE_NAME_H_

#include <stddef.h>

#include "rmw/macros.h"
#include "rmw/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RMW_NODE_NAME_VALID 0
#define RMW_NODE_NAME_INVALID_IS_EMPTY_STRING 1
#define RMW_NODE_NAME_INVALID_CONTAINS_UNALLOWED_CHARACTERS 2
#define RMW_NODE_NAME_INVALID_STARTS_WITH_NUMBER 3
#define RMW_NODE_NAME_INVALID_TOO_LONG 4

/** The longest name. */
#define RMW_NODE_NAME_MAX_NAME_LENGTH 255

/**
 * Sets `validation_result` to the first fault of a name, and `invalid_index` to its place.
 *
 * A name consists of letters, digits and underscores, and does not start with a digit. `invalid_index` may be NULL.
 * Returns RMW_RET_INVALID_ARGUMENT if another argument is NULL.
 */
RMW_PUBLIC RMW_WARN_UNUSED
rmw_ret_t rmw_validate_node_name(const char * node_name, int * validation_result, size_t * invalid_index);

/** As rmw_validate_node_name, for a name of `node_name_length` bytes. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_validate_node_name_with_size(
  const char * node_name, size_t node_name_length, int * validation_result, size_t * invalid_index);

/** Returns a text about a result; NULL for RMW_NODE_NAME_VALID. */
RMW_PUBLIC RMW_WARN_UNUSED const char * rmw_node_name_validation_result_string(int validation_result);

#ifdef __cplusplus
}
#endif

#endif
