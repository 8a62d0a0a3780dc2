/** The error state of a thread: other names for that of rcutils. */
#ifndef RMW_ERROR_HANDLING_H_
#define RMW_ERROR_HANDLING_H_

#include "rcutils/error_handling.h"
#include "rmw/macros.h"
#include "rmw/visibility_control.h"

typedef rcutils_error_string_t rmw_error_string_t;
typedef rcutils_error_state_t rmw_error_state_t;

#define rmw_initialize_error_handling_thread_local_storage rcutils_initialize_error_handling_thread_local_storage
#define rmw_set_error_state rcutils_set_error_state
#define rmw_error_is_set rcutils_error_is_set
#define rmw_get_error_state rcutils_get_error_state
#define rmw_get_error_string rcutils_get_error_string
#define rmw_reset_error rcutils_reset_error

#define RMW_SAFE_FWRITE_TO_STDERR RCUTILS_SAFE_FWRITE_TO_STDERR

#define RMW_SET_ERROR_MSG(msg) RCUTILS_SET_ERROR_MSG(msg)
#define RMW_SET_ERROR_MSG_WITH_FORMAT_STRING(...) RCUTILS_SET_ERROR_MSG_WITH_FORMAT_STRING(__VA_ARGS__)
#define RMW_SET_ERROR_MSG_AND_APPEND_PREV_ERROR(msg) RCUTILS_SET_ERROR_MSG_AND_APPEND_PREV_ERROR(msg)
#define RMW_SET_ERROR_MSG_WITH_FORMAT_STRING_AND_APPEND_PREV_ERROR(...) \
  RCUTILS_SET_ERROR_MSG_WITH_FORMAT_STRING_AND_APPEND_PREV_ERROR(__VA_ARGS__)

#define RMW_CHECK_ARGUMENT_FOR_NULL(argument, error_return_type) \
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(argument, error_return_type)
#define RMW_CHECK_FOR_NULL_WITH_MSG(value, msg, error_statement) \
  RCUTILS_CHECK_FOR_NULL_WITH_MSG(value, msg, error_statement)

#endif
