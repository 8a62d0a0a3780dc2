/** Logging. */
#ifndef RCL_LOGGING_H_
#define RCL_LOGGING_H_

#include "rcl/types.h"
#include "rcl/visibility_control.h"
#include "rcutils/logging.h"

/** Takes a message of the log. */
typedef rcutils_logging_output_handler_t rcl_logging_output_handler_t;

#endif
