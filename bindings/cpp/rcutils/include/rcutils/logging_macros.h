/**
 * Logging macros: RCUTILS_LOG_<SEVERITY>[_<CONDITION>][_NAMED].
 *
 * The arguments of a condition come first, then, with _NAMED, the name of the logger, then a printf format and its
 * arguments. Nothing is evaluated if the logger does not pass the severity. ONCE, SKIPFIRST and THROTTLE keep their
 * state per place in the source; calls of many threads share it.
 *
 * EXPRESSION(expression)         logs if the expression is true.
 * FUNCTION(function)             logs if function() returns true.
 * ONCE                           logs the first time only.
 * SKIPFIRST                      does not log the first time.
 * THROTTLE(get_time, duration)   logs at most once per `duration` milliseconds; get_time(&now) gets nanoseconds, for
 *                                example rcutils_steady_time_now. A clock that jumps back starts a new period.
 * SKIPFIRST_THROTTLE             as THROTTLE, without the first message.
 */
#ifndef RCUTILS_LOGGING_MACROS_H_
#define RCUTILS_LOGGING_MACROS_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "rcutils/logging.h"
#include "rcutils/time.h"
#include "rcutils/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Macros of a lower severity than RCUTILS_LOG_MIN_SEVERITY become nothing. */
#define RCUTILS_LOG_MIN_SEVERITY_DEBUG 0
#define RCUTILS_LOG_MIN_SEVERITY_INFO 1
#define RCUTILS_LOG_MIN_SEVERITY_WARN 2
#define RCUTILS_LOG_MIN_SEVERITY_ERROR 3
#define RCUTILS_LOG_MIN_SEVERITY_FATAL 4
#define RCUTILS_LOG_MIN_SEVERITY_NONE 5

#ifndef RCUTILS_LOG_MIN_SEVERITY
#define RCUTILS_LOG_MIN_SEVERITY RCUTILS_LOG_MIN_SEVERITY_DEBUG
#endif

/* The conditions of the macros. Each keeps its state in a variable that is 0 at first. */

/** Returns true the first time. */
RCUTILS_PUBLIC bool rcutils_log_condition_once(unsigned char * state);

/** Returns false the first time. */
RCUTILS_PUBLIC bool rcutils_log_condition_skipfirst(unsigned char * state);

/**
 * Returns true the first time and then at most once per duration; `ret` is the result of getting `now`.
 *
 * Returns true also if the time could not be read, so that no message is lost.
 */
RCUTILS_PUBLIC bool rcutils_log_condition_throttle(
  int64_t * state, rcutils_ret_t ret, rcutils_time_point_value_t now, int64_t duration_ms);

#ifdef __cplusplus
#define RCUTILS_LOG_TO_INT64_(x) static_cast<int64_t>(x)
#else
#define RCUTILS_LOG_TO_INT64_(x) ((int64_t)(x))
#endif

/* Each condition is code before and code after the call. */
#define RCUTILS_LOG_CONDITION_EMPTY
#define RCUTILS_LOG_CONDITION_ONCE_BEFORE { \
    static unsigned char rcutils_log_once_ = 0; \
    if (rcutils_log_condition_once(&rcutils_log_once_)) {
#define RCUTILS_LOG_CONDITION_ONCE_AFTER }}
#define RCUTILS_LOG_CONDITION_EXPRESSION_BEFORE(expression) if (expression) {
#define RCUTILS_LOG_CONDITION_EXPRESSION_AFTER }
#define RCUTILS_LOG_CONDITION_FUNCTION_BEFORE(function) if ((function)()) {
#define RCUTILS_LOG_CONDITION_FUNCTION_AFTER }
#define RCUTILS_LOG_CONDITION_SKIPFIRST_BEFORE { \
    static unsigned char rcutils_log_skipfirst_ = 0; \
    if (rcutils_log_condition_skipfirst(&rcutils_log_skipfirst_)) {
#define RCUTILS_LOG_CONDITION_SKIPFIRST_AFTER }}
#define RCUTILS_LOG_CONDITION_THROTTLE_BEFORE(get_time_point_value, duration) { \
    static int64_t rcutils_log_throttle_ = 0; \
    rcutils_time_point_value_t rcutils_log_now_ = 0; \
    const rcutils_ret_t rcutils_log_time_ret_ = (get_time_point_value)(&rcutils_log_now_); \
    if (rcutils_log_condition_throttle( \
        &rcutils_log_throttle_, rcutils_log_time_ret_, rcutils_log_now_, RCUTILS_LOG_TO_INT64_(duration))) {
#define RCUTILS_LOG_CONDITION_THROTTLE_AFTER }}
#define RCUTILS_LOG_CONDITION_SKIPFIRST_THROTTLE_BEFORE(get_time_point_value, duration) \
  RCUTILS_LOG_CONDITION_THROTTLE_BEFORE(get_time_point_value, duration) RCUTILS_LOG_CONDITION_SKIPFIRST_BEFORE
#define RCUTILS_LOG_CONDITION_SKIPFIRST_THROTTLE_AFTER \
  RCUTILS_LOG_CONDITION_THROTTLE_AFTER RCUTILS_LOG_CONDITION_SKIPFIRST_AFTER

/** Logs with a severity, a condition and the name of a logger; NULL is the default logger. */
#define RCUTILS_LOG_COND_NAMED(severity, condition_before, condition_after, name, ...) \
  do { \
    static const rcutils_log_location_t rcutils_log_location_ = {__func__, __FILE__, __LINE__}; \
    if (rcutils_logging_logger_is_enabled_for(name, severity)) { \
      condition_before \
      rcutils_log_internal(&rcutils_log_location_, severity, name, __VA_ARGS__); \
      condition_after \
    } \
  } while (0)

#if RCUTILS_LOG_MIN_SEVERITY > RCUTILS_LOG_MIN_SEVERITY_DEBUG
#define RCUTILS_LOG_AT_DEBUG_(...) do { } while (0)
#else
#define RCUTILS_LOG_AT_DEBUG_(...) RCUTILS_LOG_COND_NAMED(RCUTILS_LOG_SEVERITY_DEBUG, __VA_ARGS__)
#endif

#if RCUTILS_LOG_MIN_SEVERITY > RCUTILS_LOG_MIN_SEVERITY_INFO
#define RCUTILS_LOG_AT_INFO_(...) do { } while (0)
#else
#define RCUTILS_LOG_AT_INFO_(...) RCUTILS_LOG_COND_NAMED(RCUTILS_LOG_SEVERITY_INFO, __VA_ARGS__)
#endif

#if RCUTILS_LOG_MIN_SEVERITY > RCUTILS_LOG_MIN_SEVERITY_WARN
#define RCUTILS_LOG_AT_WARN_(...) do { } while (0)
#else
#define RCUTILS_LOG_AT_WARN_(...) RCUTILS_LOG_COND_NAMED(RCUTILS_LOG_SEVERITY_WARN, __VA_ARGS__)
#endif

#if RCUTILS_LOG_MIN_SEVERITY > RCUTILS_LOG_MIN_SEVERITY_ERROR
#define RCUTILS_LOG_AT_ERROR_(...) do { } while (0)
#else
#define RCUTILS_LOG_AT_ERROR_(...) RCUTILS_LOG_COND_NAMED(RCUTILS_LOG_SEVERITY_ERROR, __VA_ARGS__)
#endif

#if RCUTILS_LOG_MIN_SEVERITY > RCUTILS_LOG_MIN_SEVERITY_FATAL
#define RCUTILS_LOG_AT_FATAL_(...) do { } while (0)
#else
#define RCUTILS_LOG_AT_FATAL_(...) RCUTILS_LOG_COND_NAMED(RCUTILS_LOG_SEVERITY_FATAL, __VA_ARGS__)
#endif

#define RCUTILS_LOG_DEBUG(...) RCUTILS_LOG_AT_DEBUG_( \
    RCUTILS_LOG_CONDITION_EMPTY, RCUTILS_LOG_CONDITION_EMPTY, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_DEBUG_NAMED(name, ...) RCUTILS_LOG_AT_DEBUG_( \
    RCUTILS_LOG_CONDITION_EMPTY, RCUTILS_LOG_CONDITION_EMPTY, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_DEBUG_ONCE(...) RCUTILS_LOG_AT_DEBUG_( \
    RCUTILS_LOG_CONDITION_ONCE_BEFORE, RCUTILS_LOG_CONDITION_ONCE_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_DEBUG_ONCE_NAMED(name, ...) RCUTILS_LOG_AT_DEBUG_( \
    RCUTILS_LOG_CONDITION_ONCE_BEFORE, RCUTILS_LOG_CONDITION_ONCE_AFTER, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_DEBUG_EXPRESSION(expression, ...) RCUTILS_LOG_AT_DEBUG_( \
    RCUTILS_LOG_CONDITION_EXPRESSION_BEFORE(expression), RCUTILS_LOG_CONDITION_EXPRESSION_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_DEBUG_EXPRESSION_NAMED(expression, name, ...) RCUTILS_LOG_AT_DEBUG_( \
    RCUTILS_LOG_CONDITION_EXPRESSION_BEFORE(expression), RCUTILS_LOG_CONDITION_EXPRESSION_AFTER, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_DEBUG_FUNCTION(function, ...) RCUTILS_LOG_AT_DEBUG_( \
    RCUTILS_LOG_CONDITION_FUNCTION_BEFORE(function), RCUTILS_LOG_CONDITION_FUNCTION_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_DEBUG_FUNCTION_NAMED(function, name, ...) RCUTILS_LOG_AT_DEBUG_( \
    RCUTILS_LOG_CONDITION_FUNCTION_BEFORE(function), RCUTILS_LOG_CONDITION_FUNCTION_AFTER, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_DEBUG_SKIPFIRST(...) RCUTILS_LOG_AT_DEBUG_( \
    RCUTILS_LOG_CONDITION_SKIPFIRST_BEFORE, RCUTILS_LOG_CONDITION_SKIPFIRST_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_DEBUG_SKIPFIRST_NAMED(name, ...) RCUTILS_LOG_AT_DEBUG_( \
    RCUTILS_LOG_CONDITION_SKIPFIRST_BEFORE, RCUTILS_LOG_CONDITION_SKIPFIRST_AFTER, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_DEBUG_THROTTLE(get_time_point_value, duration, ...) RCUTILS_LOG_AT_DEBUG_( \
    RCUTILS_LOG_CONDITION_THROTTLE_BEFORE(get_time_point_value, duration), RCUTILS_LOG_CONDITION_THROTTLE_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_DEBUG_THROTTLE_NAMED(get_time_point_value, duration, name, ...) RCUTILS_LOG_AT_DEBUG_( \
    RCUTILS_LOG_CONDITION_THROTTLE_BEFORE(get_time_point_value, duration), RCUTILS_LOG_CONDITION_THROTTLE_AFTER, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_DEBUG_SKIPFIRST_THROTTLE(get_time_point_value, duration, ...) RCUTILS_LOG_AT_DEBUG_( \
    RCUTILS_LOG_CONDITION_SKIPFIRST_THROTTLE_BEFORE(get_time_point_value, duration), \
    RCUTILS_LOG_CONDITION_SKIPFIRST_THROTTLE_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_DEBUG_SKIPFIRST_THROTTLE_NAMED(get_time_point_value, duration, name, ...) RCUTILS_LOG_AT_DEBUG_( \
    RCUTILS_LOG_CONDITION_SKIPFIRST_THROTTLE_BEFORE(get_time_point_value, duration), \
    RCUTILS_LOG_CONDITION_SKIPFIRST_THROTTLE_AFTER, \
    name, __VA_ARGS__)

#define RCUTILS_LOG_INFO(...) RCUTILS_LOG_AT_INFO_( \
    RCUTILS_LOG_CONDITION_EMPTY, RCUTILS_LOG_CONDITION_EMPTY, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_INFO_NAMED(name, ...) RCUTILS_LOG_AT_INFO_( \
    RCUTILS_LOG_CONDITION_EMPTY, RCUTILS_LOG_CONDITION_EMPTY, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_INFO_ONCE(...) RCUTILS_LOG_AT_INFO_( \
    RCUTILS_LOG_CONDITION_ONCE_BEFORE, RCUTILS_LOG_CONDITION_ONCE_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_INFO_ONCE_NAMED(name, ...) RCUTILS_LOG_AT_INFO_( \
    RCUTILS_LOG_CONDITION_ONCE_BEFORE, RCUTILS_LOG_CONDITION_ONCE_AFTER, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_INFO_EXPRESSION(expression, ...) RCUTILS_LOG_AT_INFO_( \
    RCUTILS_LOG_CONDITION_EXPRESSION_BEFORE(expression), RCUTILS_LOG_CONDITION_EXPRESSION_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_INFO_EXPRESSION_NAMED(expression, name, ...) RCUTILS_LOG_AT_INFO_( \
    RCUTILS_LOG_CONDITION_EXPRESSION_BEFORE(expression), RCUTILS_LOG_CONDITION_EXPRESSION_AFTER, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_INFO_FUNCTION(function, ...) RCUTILS_LOG_AT_INFO_( \
    RCUTILS_LOG_CONDITION_FUNCTION_BEFORE(function), RCUTILS_LOG_CONDITION_FUNCTION_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_INFO_FUNCTION_NAMED(function, name, ...) RCUTILS_LOG_AT_INFO_( \
    RCUTILS_LOG_CONDITION_FUNCTION_BEFORE(function), RCUTILS_LOG_CONDITION_FUNCTION_AFTER, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_INFO_SKIPFIRST(...) RCUTILS_LOG_AT_INFO_( \
    RCUTILS_LOG_CONDITION_SKIPFIRST_BEFORE, RCUTILS_LOG_CONDITION_SKIPFIRST_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_INFO_SKIPFIRST_NAMED(name, ...) RCUTILS_LOG_AT_INFO_( \
    RCUTILS_LOG_CONDITION_SKIPFIRST_BEFORE, RCUTILS_LOG_CONDITION_SKIPFIRST_AFTER, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_INFO_THROTTLE(get_time_point_value, duration, ...) RCUTILS_LOG_AT_INFO_( \
    RCUTILS_LOG_CONDITION_THROTTLE_BEFORE(get_time_point_value, duration), RCUTILS_LOG_CONDITION_THROTTLE_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_INFO_THROTTLE_NAMED(get_time_point_value, duration, name, ...) RCUTILS_LOG_AT_INFO_( \
    RCUTILS_LOG_CONDITION_THROTTLE_BEFORE(get_time_point_value, duration), RCUTILS_LOG_CONDITION_THROTTLE_AFTER, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_INFO_SKIPFIRST_THROTTLE(get_time_point_value, duration, ...) RCUTILS_LOG_AT_INFO_( \
    RCUTILS_LOG_CONDITION_SKIPFIRST_THROTTLE_BEFORE(get_time_point_value, duration), \
    RCUTILS_LOG_CONDITION_SKIPFIRST_THROTTLE_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_INFO_SKIPFIRST_THROTTLE_NAMED(get_time_point_value, duration, name, ...) RCUTILS_LOG_AT_INFO_( \
    RCUTILS_LOG_CONDITION_SKIPFIRST_THROTTLE_BEFORE(get_time_point_value, duration), \
    RCUTILS_LOG_CONDITION_SKIPFIRST_THROTTLE_AFTER, \
    name, __VA_ARGS__)

#define RCUTILS_LOG_WARN(...) RCUTILS_LOG_AT_WARN_( \
    RCUTILS_LOG_CONDITION_EMPTY, RCUTILS_LOG_CONDITION_EMPTY, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_WARN_NAMED(name, ...) RCUTILS_LOG_AT_WARN_( \
    RCUTILS_LOG_CONDITION_EMPTY, RCUTILS_LOG_CONDITION_EMPTY, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_WARN_ONCE(...) RCUTILS_LOG_AT_WARN_( \
    RCUTILS_LOG_CONDITION_ONCE_BEFORE, RCUTILS_LOG_CONDITION_ONCE_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_WARN_ONCE_NAMED(name, ...) RCUTILS_LOG_AT_WARN_( \
    RCUTILS_LOG_CONDITION_ONCE_BEFORE, RCUTILS_LOG_CONDITION_ONCE_AFTER, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_WARN_EXPRESSION(expression, ...) RCUTILS_LOG_AT_WARN_( \
    RCUTILS_LOG_CONDITION_EXPRESSION_BEFORE(expression), RCUTILS_LOG_CONDITION_EXPRESSION_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_WARN_EXPRESSION_NAMED(expression, name, ...) RCUTILS_LOG_AT_WARN_( \
    RCUTILS_LOG_CONDITION_EXPRESSION_BEFORE(expression), RCUTILS_LOG_CONDITION_EXPRESSION_AFTER, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_WARN_FUNCTION(function, ...) RCUTILS_LOG_AT_WARN_( \
    RCUTILS_LOG_CONDITION_FUNCTION_BEFORE(function), RCUTILS_LOG_CONDITION_FUNCTION_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_WARN_FUNCTION_NAMED(function, name, ...) RCUTILS_LOG_AT_WARN_( \
    RCUTILS_LOG_CONDITION_FUNCTION_BEFORE(function), RCUTILS_LOG_CONDITION_FUNCTION_AFTER, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_WARN_SKIPFIRST(...) RCUTILS_LOG_AT_WARN_( \
    RCUTILS_LOG_CONDITION_SKIPFIRST_BEFORE, RCUTILS_LOG_CONDITION_SKIPFIRST_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_WARN_SKIPFIRST_NAMED(name, ...) RCUTILS_LOG_AT_WARN_( \
    RCUTILS_LOG_CONDITION_SKIPFIRST_BEFORE, RCUTILS_LOG_CONDITION_SKIPFIRST_AFTER, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_WARN_THROTTLE(get_time_point_value, duration, ...) RCUTILS_LOG_AT_WARN_( \
    RCUTILS_LOG_CONDITION_THROTTLE_BEFORE(get_time_point_value, duration), RCUTILS_LOG_CONDITION_THROTTLE_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_WARN_THROTTLE_NAMED(get_time_point_value, duration, name, ...) RCUTILS_LOG_AT_WARN_( \
    RCUTILS_LOG_CONDITION_THROTTLE_BEFORE(get_time_point_value, duration), RCUTILS_LOG_CONDITION_THROTTLE_AFTER, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_WARN_SKIPFIRST_THROTTLE(get_time_point_value, duration, ...) RCUTILS_LOG_AT_WARN_( \
    RCUTILS_LOG_CONDITION_SKIPFIRST_THROTTLE_BEFORE(get_time_point_value, duration), \
    RCUTILS_LOG_CONDITION_SKIPFIRST_THROTTLE_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_WARN_SKIPFIRST_THROTTLE_NAMED(get_time_point_value, duration, name, ...) RCUTILS_LOG_AT_WARN_( \
    RCUTILS_LOG_CONDITION_SKIPFIRST_THROTTLE_BEFORE(get_time_point_value, duration), \
    RCUTILS_LOG_CONDITION_SKIPFIRST_THROTTLE_AFTER, \
    name, __VA_ARGS__)

#define RCUTILS_LOG_ERROR(...) RCUTILS_LOG_AT_ERROR_( \
    RCUTILS_LOG_CONDITION_EMPTY, RCUTILS_LOG_CONDITION_EMPTY, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_ERROR_NAMED(name, ...) RCUTILS_LOG_AT_ERROR_( \
    RCUTILS_LOG_CONDITION_EMPTY, RCUTILS_LOG_CONDITION_EMPTY, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_ERROR_ONCE(...) RCUTILS_LOG_AT_ERROR_( \
    RCUTILS_LOG_CONDITION_ONCE_BEFORE, RCUTILS_LOG_CONDITION_ONCE_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_ERROR_ONCE_NAMED(name, ...) RCUTILS_LOG_AT_ERROR_( \
    RCUTILS_LOG_CONDITION_ONCE_BEFORE, RCUTILS_LOG_CONDITION_ONCE_AFTER, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_ERROR_EXPRESSION(expression, ...) RCUTILS_LOG_AT_ERROR_( \
    RCUTILS_LOG_CONDITION_EXPRESSION_BEFORE(expression), RCUTILS_LOG_CONDITION_EXPRESSION_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_ERROR_EXPRESSION_NAMED(expression, name, ...) RCUTILS_LOG_AT_ERROR_( \
    RCUTILS_LOG_CONDITION_EXPRESSION_BEFORE(expression), RCUTILS_LOG_CONDITION_EXPRESSION_AFTER, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_ERROR_FUNCTION(function, ...) RCUTILS_LOG_AT_ERROR_( \
    RCUTILS_LOG_CONDITION_FUNCTION_BEFORE(function), RCUTILS_LOG_CONDITION_FUNCTION_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_ERROR_FUNCTION_NAMED(function, name, ...) RCUTILS_LOG_AT_ERROR_( \
    RCUTILS_LOG_CONDITION_FUNCTION_BEFORE(function), RCUTILS_LOG_CONDITION_FUNCTION_AFTER, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_ERROR_SKIPFIRST(...) RCUTILS_LOG_AT_ERROR_( \
    RCUTILS_LOG_CONDITION_SKIPFIRST_BEFORE, RCUTILS_LOG_CONDITION_SKIPFIRST_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_ERROR_SKIPFIRST_NAMED(name, ...) RCUTILS_LOG_AT_ERROR_( \
    RCUTILS_LOG_CONDITION_SKIPFIRST_BEFORE, RCUTILS_LOG_CONDITION_SKIPFIRST_AFTER, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_ERROR_THROTTLE(get_time_point_value, duration, ...) RCUTILS_LOG_AT_ERROR_( \
    RCUTILS_LOG_CONDITION_THROTTLE_BEFORE(get_time_point_value, duration), RCUTILS_LOG_CONDITION_THROTTLE_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_ERROR_THROTTLE_NAMED(get_time_point_value, duration, name, ...) RCUTILS_LOG_AT_ERROR_( \
    RCUTILS_LOG_CONDITION_THROTTLE_BEFORE(get_time_point_value, duration), RCUTILS_LOG_CONDITION_THROTTLE_AFTER, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_ERROR_SKIPFIRST_THROTTLE(get_time_point_value, duration, ...) RCUTILS_LOG_AT_ERROR_( \
    RCUTILS_LOG_CONDITION_SKIPFIRST_THROTTLE_BEFORE(get_time_point_value, duration), \
    RCUTILS_LOG_CONDITION_SKIPFIRST_THROTTLE_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_ERROR_SKIPFIRST_THROTTLE_NAMED(get_time_point_value, duration, name, ...) RCUTILS_LOG_AT_ERROR_( \
    RCUTILS_LOG_CONDITION_SKIPFIRST_THROTTLE_BEFORE(get_time_point_value, duration), \
    RCUTILS_LOG_CONDITION_SKIPFIRST_THROTTLE_AFTER, \
    name, __VA_ARGS__)

#define RCUTILS_LOG_FATAL(...) RCUTILS_LOG_AT_FATAL_( \
    RCUTILS_LOG_CONDITION_EMPTY, RCUTILS_LOG_CONDITION_EMPTY, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_FATAL_NAMED(name, ...) RCUTILS_LOG_AT_FATAL_( \
    RCUTILS_LOG_CONDITION_EMPTY, RCUTILS_LOG_CONDITION_EMPTY, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_FATAL_ONCE(...) RCUTILS_LOG_AT_FATAL_( \
    RCUTILS_LOG_CONDITION_ONCE_BEFORE, RCUTILS_LOG_CONDITION_ONCE_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_FATAL_ONCE_NAMED(name, ...) RCUTILS_LOG_AT_FATAL_( \
    RCUTILS_LOG_CONDITION_ONCE_BEFORE, RCUTILS_LOG_CONDITION_ONCE_AFTER, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_FATAL_EXPRESSION(expression, ...) RCUTILS_LOG_AT_FATAL_( \
    RCUTILS_LOG_CONDITION_EXPRESSION_BEFORE(expression), RCUTILS_LOG_CONDITION_EXPRESSION_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_FATAL_EXPRESSION_NAMED(expression, name, ...) RCUTILS_LOG_AT_FATAL_( \
    RCUTILS_LOG_CONDITION_EXPRESSION_BEFORE(expression), RCUTILS_LOG_CONDITION_EXPRESSION_AFTER, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_FATAL_FUNCTION(function, ...) RCUTILS_LOG_AT_FATAL_( \
    RCUTILS_LOG_CONDITION_FUNCTION_BEFORE(function), RCUTILS_LOG_CONDITION_FUNCTION_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_FATAL_FUNCTION_NAMED(function, name, ...) RCUTILS_LOG_AT_FATAL_( \
    RCUTILS_LOG_CONDITION_FUNCTION_BEFORE(function), RCUTILS_LOG_CONDITION_FUNCTION_AFTER, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_FATAL_SKIPFIRST(...) RCUTILS_LOG_AT_FATAL_( \
    RCUTILS_LOG_CONDITION_SKIPFIRST_BEFORE, RCUTILS_LOG_CONDITION_SKIPFIRST_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_FATAL_SKIPFIRST_NAMED(name, ...) RCUTILS_LOG_AT_FATAL_( \
    RCUTILS_LOG_CONDITION_SKIPFIRST_BEFORE, RCUTILS_LOG_CONDITION_SKIPFIRST_AFTER, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_FATAL_THROTTLE(get_time_point_value, duration, ...) RCUTILS_LOG_AT_FATAL_( \
    RCUTILS_LOG_CONDITION_THROTTLE_BEFORE(get_time_point_value, duration), RCUTILS_LOG_CONDITION_THROTTLE_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_FATAL_THROTTLE_NAMED(get_time_point_value, duration, name, ...) RCUTILS_LOG_AT_FATAL_( \
    RCUTILS_LOG_CONDITION_THROTTLE_BEFORE(get_time_point_value, duration), RCUTILS_LOG_CONDITION_THROTTLE_AFTER, \
    name, __VA_ARGS__)
#define RCUTILS_LOG_FATAL_SKIPFIRST_THROTTLE(get_time_point_value, duration, ...) RCUTILS_LOG_AT_FATAL_( \
    RCUTILS_LOG_CONDITION_SKIPFIRST_THROTTLE_BEFORE(get_time_point_value, duration), \
    RCUTILS_LOG_CONDITION_SKIPFIRST_THROTTLE_AFTER, \
    NULL, __VA_ARGS__)
#define RCUTILS_LOG_FATAL_SKIPFIRST_THROTTLE_NAMED(get_time_point_value, duration, name, ...) RCUTILS_LOG_AT_FATAL_( \
    RCUTILS_LOG_CONDITION_SKIPFIRST_THROTTLE_BEFORE(get_time_point_value, duration), \
    RCUTILS_LOG_CONDITION_SKIPFIRST_THROTTLE_AFTER, \
    name, __VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
