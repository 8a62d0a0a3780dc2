/** Checks the names of enclaves, which are as namespaces. */
#ifndef RCL_VALIDATE_ENCLAVE_NAME_H_
#define RCL_VALIDATE_ENCLAVE_NAME_H_

#include <stddef.h>

#include "rcl/macros.h"
#include "rcl/types.h"
#include "rcl/visibility_control.h"
#include "rmw/validate_namespace.h"
#include "rmw/validate_node_name.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RCL_ENCLAVE_NAME_VALID RMW_NAMESPACE_VALID
#define RCL_ENCLAVE_NAME_INVALID_IS_EMPTY_STRING RMW_NAMESPACE_INVALID_IS_EMPTY_STRING
#define RCL_ENCLAVE_NAME_INVALID_NOT_ABSOLUTE RMW_NAMESPACE_INVALID_NOT_ABSOLUTE
#define RCL_ENCLAVE_NAME_INVALID_ENDS_WITH_FORWARD_SLASH RMW_NAMESPACE_INVALID_ENDS_WITH_FORWARD_SLASH
#define RCL_ENCLAVE_NAME_INVALID_CONTAINS_UNALLOWED_CHARACTERS RMW_NAMESPACE_INVALID_CONTAINS_UNALLOWED_CHARACTERS
#define RCL_ENCLAVE_NAME_INVALID_CONTAINS_REPEATED_FORWARD_SLASH RMW_NAMESPACE_INVALID_CONTAINS_REPEATED_FORWARD_SLASH
#define RCL_ENCLAVE_NAME_INVALID_NAME_TOKEN_STARTS_WITH_NUMBER RMW_NAMESPACE_INVALID_NAME_TOKEN_STARTS_WITH_NUMBER
#define RCL_ENCLAVE_NAME_INVALID_TOO_LONG RMW_NAMESPACE_INVALID_TOO_LONG

/** The longest name. */
#define RCL_ENCLAVE_NAME_MAX_LENGTH RMW_NODE_NAME_MAX_NAME_LENGTH

/** As rmw_validate_namespace, but longer names are valid. */
RCL_PUBLIC RCL_WARN_UNUSED
rcl_ret_t rcl_validate_enclave_name(const char * enclave, int * validation_result, size_t * invalid_index);

/** As rcl_validate_enclave_name, for a name of `enclave_length` bytes. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_validate_enclave_name_with_size(
  const char * enclave, size_t enclave_length, int * validation_result, size_t * invalid_index);

/** Returns a text about a result; NULL for RCL_ENCLAVE_NAME_VALID. */
RCL_PUBLIC RCL_WARN_UNUSED const char * rcl_enclave_name_validation_result_string(int validation_result);

#ifdef __cplusplus
}
#endif

#endif
