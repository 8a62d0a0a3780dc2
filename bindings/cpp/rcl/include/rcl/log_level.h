/** The levels of loggers, as --log-level gives them. */
#ifndef RCL_LOG_LEVEL_H_
#define RCL_LOG_LEVEL_H_

#include <stddef.h>

#include "rcl/allocator.h"
#include "rcl/macros.h"
#include "rcl/types.h"
#include "rcl/visibility_control.h"
#include "rcutils/logging.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum RCUTILS_LOG_SEVERITY rcl_log_severity_t;

/** The level of a logger. */
typedef struct rcl_logger_setting_s
{
  const char * name;
  rcl_log_severity_t level;
} rcl_logger_setting_t;

typedef struct rcl_log_levels_s
{
  /** The level of the other loggers. */
  rcl_log_severity_t default_logger_level;
  rcl_logger_setting_t * logger_settings;
  size_t num_logger_settings;
  size_t capacity_logger_settings;
  rcl_allocator_t allocator;
} rcl_log_levels_t;

/** Returns levels that are not initialized. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_log_levels_t rcl_get_zero_initialized_log_levels(void);

/** Makes levels with memory for `logger_count` loggers; the default is UNSET. */
RCL_PUBLIC RCL_WARN_UNUSED
rcl_ret_t rcl_log_levels_init(rcl_log_levels_t * log_levels, const rcl_allocator_t * allocator, size_t logger_count);

/** Copies levels; RCL_RET_INVALID_ARGUMENT if `dst` is initialized. */
RCL_PUBLIC RCL_WARN_UNUSED
rcl_ret_t rcl_log_levels_copy(const rcl_log_levels_t * src, rcl_log_levels_t * dst);

/** Frees levels. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_log_levels_fini(rcl_log_levels_t * log_levels);

/** Frees the memory that no logger uses. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_log_levels_shrink_to_size(rcl_log_levels_t * log_levels);

/** Sets the level of a logger; RCL_RET_ERROR if there is no memory for another one. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_log_levels_add_logger_setting(
  rcl_log_levels_t * log_levels, const char * logger_name, rcl_log_severity_t log_level);

#ifdef __cplusplus
}
#endif

#endif
