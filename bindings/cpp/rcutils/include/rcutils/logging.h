/** Logging: levels of named loggers, the output handler, and the console. */
#ifndef RCUTILS_LOGGING_H_
#define RCUTILS_LOGGING_H_

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "rcutils/allocator.h"
#include "rcutils/error_handling.h"
#include "rcutils/macros.h"
#include "rcutils/time.h"
#include "rcutils/types/char_array.h"
#include "rcutils/types/rcutils_ret.h"
#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Separates the parts of a logger's name: "a.b" is a child of "a". */
#define RCUTILS_LOGGING_SEPARATOR_CHAR '.'
#define RCUTILS_LOGGING_SEPARATOR_STRING "."

/** The severities, and the levels of loggers. */
enum RCUTILS_LOG_SEVERITY
{
  /** The logger takes the level of its parent. */
  RCUTILS_LOG_SEVERITY_UNSET = 0,
  RCUTILS_LOG_SEVERITY_DEBUG = 10,
  RCUTILS_LOG_SEVERITY_INFO = 20,
  RCUTILS_LOG_SEVERITY_WARN = 30,
  RCUTILS_LOG_SEVERITY_ERROR = 40,
  RCUTILS_LOG_SEVERITY_FATAL = 50
};

/** The level of loggers that have none and whose parents have none. */
#define RCUTILS_DEFAULT_LOGGER_DEFAULT_LEVEL RCUTILS_LOG_SEVERITY_INFO

/** The names of the severities, "DEBUG" at RCUTILS_LOG_SEVERITY_DEBUG; NULL where there is no severity. */
RCUTILS_PUBLIC extern const char * const g_rcutils_log_severity_names[RCUTILS_LOG_SEVERITY_FATAL + 1];

/** True after rcutils_logging_initialize. Do not write to it. */
RCUTILS_PUBLIC extern bool g_rcutils_logging_initialized;

/** The place of a call in the source. */
typedef struct rcutils_log_location_s
{
  const char * function_name;
  const char * file_name;
  size_t line_number;
} rcutils_log_location_t;

/**
 * Takes a message: `location` may be NULL, `timestamp` is of the system clock, `format` and `args` are of printf.
 *
 * It is called by many threads at once. It must not change `args` for others: use va_copy.
 */
typedef void (* rcutils_logging_output_handler_t)(
  const rcutils_log_location_t * location, int severity, const char * name, rcutils_time_point_value_t timestamp,
  const char * format, va_list * args);

/**
 * Reads the environment variables of the console; does nothing if that was done.
 *
 * All other functions do this themselves when they need it. A wrong value is reported on stderr and ignored.
 */
RCUTILS_PUBLIC rcutils_ret_t rcutils_logging_initialize(void);

/** As rcutils_logging_initialize; returns RCUTILS_RET_INVALID_ARGUMENT if the allocator is not valid. */
RCUTILS_PUBLIC rcutils_ret_t rcutils_logging_initialize_with_allocator(rcutils_allocator_t allocator);

/** Resets all levels and the output handler; the next use reads the environment again. */
RCUTILS_PUBLIC rcutils_ret_t rcutils_logging_shutdown(void);

/** Gets the severity of a name in any case of letters; RCUTILS_RET_LOGGING_SEVERITY_STRING_INVALID if unknown. */
RCUTILS_PUBLIC rcutils_ret_t rcutils_logging_severity_level_from_string(
  const char * severity_string, rcutils_allocator_t allocator, int * severity);

/** Returns the output handler, at first rcutils_logging_console_output_handler. */
RCUTILS_PUBLIC rcutils_logging_output_handler_t rcutils_logging_get_output_handler(void);

/** Sets the output handler; NULL drops all messages. */
RCUTILS_PUBLIC void rcutils_logging_set_output_handler(rcutils_logging_output_handler_t function);

/** Appends a message in the format of the console, without colors and line end, to `logging_output`. */
RCUTILS_PUBLIC RCUTILS_WARN_UNUSED rcutils_ret_t rcutils_logging_format_message(
  const rcutils_log_location_t * location, int severity, const char * name, rcutils_time_point_value_t timestamp,
  const char * msg, rcutils_char_array_t * logging_output);

/** Returns the level of loggers that have none. */
RCUTILS_PUBLIC int rcutils_logging_get_default_logger_level(void);

/** Sets the level of loggers that have none; RCUTILS_LOG_SEVERITY_UNSET restores the default, INFO. */
RCUTILS_PUBLIC void rcutils_logging_set_default_logger_level(int level);

/** Returns the level that was set for this name, RCUTILS_LOG_SEVERITY_UNSET if none was, or -1 if `name` is NULL. */
RCUTILS_PUBLIC int rcutils_logging_get_logger_level(const char * name);

/** As rcutils_logging_get_logger_level, for a name of `name_length` bytes without terminator. */
RCUTILS_PUBLIC int rcutils_logging_get_logger_leveln(const char * name, size_t name_length);

/**
 * Sets the level of a logger and of its children without level; RCUTILS_LOG_SEVERITY_UNSET removes it.
 *
 * The name "" is the default level, which passes all messages when it is unset.
 * Returns RCUTILS_RET_INVALID_ARGUMENT for other levels than the severities.
 */
RCUTILS_PUBLIC rcutils_ret_t rcutils_logging_set_logger_level(const char * name, int level);

/** Returns true if the logger passes messages of this severity; NULL and "" have the default level. */
RCUTILS_PUBLIC bool rcutils_logging_logger_is_enabled_for(const char * name, int severity);

/** Returns the level of the logger or of its nearest parent with a level, or the default; -1 if `name` is NULL. */
RCUTILS_PUBLIC int rcutils_logging_get_logger_effective_level(const char * name);

/** Gives a message to the output handler if the logger passes its severity. */
RCUTILS_PUBLIC RCUTILS_ATTRIBUTE_PRINTF_FORMAT(4, 5) void rcutils_log(
  const rcutils_log_location_t * location, int severity, const char * name, const char * format, ...);

/** Gives a message to the output handler without a check of the level. */
RCUTILS_PUBLIC RCUTILS_ATTRIBUTE_PRINTF_FORMAT(4, 5) void rcutils_log_internal(
  const rcutils_log_location_t * location, int severity, const char * name, const char * format, ...);

/**
 * Writes a line to stderr.
 *
 * RCUTILS_LOGGING_USE_STDOUT=1 takes stdout. RCUTILS_LOGGING_BUFFERED_STREAM sets the buffer of the stream: 1 for
 * lines, 0 for none. RCUTILS_COLORIZED_OUTPUT is 1 or 0; without it, a terminal gets colors.
 * RCUTILS_CONSOLE_OUTPUT_FORMAT has the words {severity} {name} {message} {function_name} {file_name}
 * {short_file_name} {line_number} {time} {time_as_nanoseconds} {date_time_with_ms} and escapes such as \n and \t.
 */
RCUTILS_PUBLIC void rcutils_logging_console_output_handler(
  const rcutils_log_location_t * location, int severity, const char * name, rcutils_time_point_value_t timestamp,
  const char * format, va_list * args);

/** Initializes logging; a failure is written to stderr. */
#define RCUTILS_LOGGING_AUTOINIT \
  do { \
    if (rcutils_logging_initialize() != RCUTILS_RET_OK) { \
      RCUTILS_SAFE_FWRITE_TO_STDERR("rcutils: can't initialize logging\n"); \
    } \
  } while (0)

/** Initializes logging with an allocator; a failure is written to stderr. */
#define RCUTILS_LOGGING_AUTOINIT_WITH_ALLOCATOR(alloc) \
  do { \
    if (rcutils_logging_initialize_with_allocator(alloc) != RCUTILS_RET_OK) { \
      RCUTILS_SAFE_FWRITE_TO_STDERR("rcutils: can't initialize logging\n"); \
    } \
  } while (0)

#ifdef __cplusplus
}
#endif

#endif
