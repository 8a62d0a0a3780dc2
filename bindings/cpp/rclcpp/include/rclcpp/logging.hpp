#ifndef RCLCPP__LOGGING_HPP_
#define RCLCPP__LOGGING_HPP_

#include <atomic>
#include <cstdint>
#include <sstream>
#include <type_traits>

#include "rclcpp/logger.hpp"
#include "rcutils/logging_macros.h"

#define RCLCPP_LOG_MIN_SEVERITY_DEBUG 0
#define RCLCPP_LOG_MIN_SEVERITY_INFO 1
#define RCLCPP_LOG_MIN_SEVERITY_WARN 2
#define RCLCPP_LOG_MIN_SEVERITY_ERROR 3
#define RCLCPP_LOG_MIN_SEVERITY_FATAL 4
#define RCLCPP_LOG_MIN_SEVERITY_NONE 5

/// The lowest severity whose records are compiled.
#ifndef RCLCPP_LOG_MIN_SEVERITY
#define RCLCPP_LOG_MIN_SEVERITY RCLCPP_LOG_MIN_SEVERITY_DEBUG
#endif

namespace rclcpp::detail
{

/// Whether a record is logged that is logged at most once in so many milliseconds. `last` is when it was logged last.
template<typename ClockT, typename DurationT>
bool is_due(ClockT & clock, DurationT milliseconds, std::atomic<int64_t> & last)
{
  const int64_t now = clock.now().nanoseconds();
  const int64_t before = last.load(std::memory_order_relaxed);
  const bool is_due = before == INT64_MIN || now < before ||
    now >= before + static_cast<int64_t>(milliseconds) * 1000000;
  if (is_due) {
    last.store(now, std::memory_order_relaxed);
  }
  return is_due;
}

}  // namespace rclcpp::detail

// A record is formatted only if it is logged. `condition` is evaluated before. An output handler may keep the location.
#define RCLCPP_DETAIL_LOG(severity, logger, condition, ...) \
  do { \
    static_assert( \
      std::is_same_v<std::remove_cv_t<std::remove_reference_t<decltype(logger)>>, ::rclcpp::Logger>, \
      "First argument to logging macros must be an rclcpp::Logger"); \
    const ::rclcpp::Logger & rclcpp_logger_ = logger; \
    if (rclcpp_logger_.is_enabled(severity) && (condition)) { \
      static const rcutils_log_location_t rclcpp_location_ = {__func__, __FILE__, __LINE__}; \
      ::rclcpp::detail::log(rclcpp_logger_, severity, rclcpp_location_, __VA_ARGS__); \
    } \
  } while (0)

#define RCLCPP_DETAIL_LOG_STREAM(severity, logger, condition, stream_arg) \
  do { \
    static_assert( \
      std::is_same_v<std::remove_cv_t<std::remove_reference_t<decltype(logger)>>, ::rclcpp::Logger>, \
      "First argument to logging macros must be an rclcpp::Logger"); \
    const ::rclcpp::Logger & rclcpp_logger_ = logger; \
    if (rclcpp_logger_.is_enabled(severity) && (condition)) { \
      std::stringstream rclcpp_stream_; \
      rclcpp_stream_ << stream_arg; \
      static const rcutils_log_location_t rclcpp_location_ = {__func__, __FILE__, __LINE__}; \
      ::rclcpp::detail::log(rclcpp_logger_, severity, rclcpp_location_, "%s", rclcpp_stream_.str().c_str()); \
    } \
  } while (0)

// Each call site has a state of its own.
#define RCLCPP_DETAIL_IS_FIRST \
  ([] {static std::atomic<bool> was_here{false}; return !was_here.exchange(true);} ())
#define RCLCPP_DETAIL_IS_NOT_FIRST \
  ([] {static std::atomic<bool> was_here{false}; return was_here.exchange(true);} ())
#define RCLCPP_DETAIL_IS_DUE(clock, duration) \
  ([&] {static std::atomic<int64_t> last{INT64_MIN}; return ::rclcpp::detail::is_due(clock, duration, last);} ())

#if RCLCPP_LOG_MIN_SEVERITY > RCLCPP_LOG_MIN_SEVERITY_DEBUG
#define RCLCPP_DEBUG(...)
#define RCLCPP_DEBUG_STREAM(...)
#define RCLCPP_DEBUG_ONCE(...)
#define RCLCPP_DEBUG_STREAM_ONCE(...)
#define RCLCPP_DEBUG_EXPRESSION(...)
#define RCLCPP_DEBUG_STREAM_EXPRESSION(...)
#define RCLCPP_DEBUG_FUNCTION(...)
#define RCLCPP_DEBUG_STREAM_FUNCTION(...)
#define RCLCPP_DEBUG_SKIPFIRST(...)
#define RCLCPP_DEBUG_STREAM_SKIPFIRST(...)
#define RCLCPP_DEBUG_THROTTLE(...)
#define RCLCPP_DEBUG_STREAM_THROTTLE(...)
#define RCLCPP_DEBUG_SKIPFIRST_THROTTLE(...)
#define RCLCPP_DEBUG_STREAM_SKIPFIRST_THROTTLE(...)
#else
#define RCLCPP_DEBUG(logger, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_DEBUG, logger, true, __VA_ARGS__)
#define RCLCPP_DEBUG_STREAM(logger, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_DEBUG, logger, true, stream_arg)
#define RCLCPP_DEBUG_ONCE(logger, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_DEBUG, logger, RCLCPP_DETAIL_IS_FIRST, __VA_ARGS__)
#define RCLCPP_DEBUG_STREAM_ONCE(logger, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_DEBUG, logger, RCLCPP_DETAIL_IS_FIRST, stream_arg)
#define RCLCPP_DEBUG_EXPRESSION(logger, expression, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_DEBUG, logger, (expression), __VA_ARGS__)
#define RCLCPP_DEBUG_STREAM_EXPRESSION(logger, expression, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_DEBUG, logger, (expression), stream_arg)
#define RCLCPP_DEBUG_FUNCTION(logger, function, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_DEBUG, logger, (*function)(), __VA_ARGS__)
#define RCLCPP_DEBUG_STREAM_FUNCTION(logger, function, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_DEBUG, logger, (*function)(), stream_arg)
#define RCLCPP_DEBUG_SKIPFIRST(logger, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_DEBUG, logger, RCLCPP_DETAIL_IS_NOT_FIRST, __VA_ARGS__)
#define RCLCPP_DEBUG_STREAM_SKIPFIRST(logger, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_DEBUG, logger, RCLCPP_DETAIL_IS_NOT_FIRST, stream_arg)
#define RCLCPP_DEBUG_THROTTLE(logger, clock, duration, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_DEBUG, logger, RCLCPP_DETAIL_IS_DUE(clock, duration), __VA_ARGS__)
#define RCLCPP_DEBUG_STREAM_THROTTLE(logger, clock, duration, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_DEBUG, logger, RCLCPP_DETAIL_IS_DUE(clock, duration), stream_arg)
#define RCLCPP_DEBUG_SKIPFIRST_THROTTLE(logger, clock, duration, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_DEBUG, logger, RCLCPP_DETAIL_IS_DUE(clock, duration) && RCLCPP_DETAIL_IS_NOT_FIRST, __VA_ARGS__)
#define RCLCPP_DEBUG_STREAM_SKIPFIRST_THROTTLE(logger, clock, duration, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_DEBUG, logger, RCLCPP_DETAIL_IS_DUE(clock, duration) && RCLCPP_DETAIL_IS_NOT_FIRST, stream_arg)
#endif

#if RCLCPP_LOG_MIN_SEVERITY > RCLCPP_LOG_MIN_SEVERITY_INFO
#define RCLCPP_INFO(...)
#define RCLCPP_INFO_STREAM(...)
#define RCLCPP_INFO_ONCE(...)
#define RCLCPP_INFO_STREAM_ONCE(...)
#define RCLCPP_INFO_EXPRESSION(...)
#define RCLCPP_INFO_STREAM_EXPRESSION(...)
#define RCLCPP_INFO_FUNCTION(...)
#define RCLCPP_INFO_STREAM_FUNCTION(...)
#define RCLCPP_INFO_SKIPFIRST(...)
#define RCLCPP_INFO_STREAM_SKIPFIRST(...)
#define RCLCPP_INFO_THROTTLE(...)
#define RCLCPP_INFO_STREAM_THROTTLE(...)
#define RCLCPP_INFO_SKIPFIRST_THROTTLE(...)
#define RCLCPP_INFO_STREAM_SKIPFIRST_THROTTLE(...)
#else
#define RCLCPP_INFO(logger, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_INFO, logger, true, __VA_ARGS__)
#define RCLCPP_INFO_STREAM(logger, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_INFO, logger, true, stream_arg)
#define RCLCPP_INFO_ONCE(logger, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_INFO, logger, RCLCPP_DETAIL_IS_FIRST, __VA_ARGS__)
#define RCLCPP_INFO_STREAM_ONCE(logger, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_INFO, logger, RCLCPP_DETAIL_IS_FIRST, stream_arg)
#define RCLCPP_INFO_EXPRESSION(logger, expression, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_INFO, logger, (expression), __VA_ARGS__)
#define RCLCPP_INFO_STREAM_EXPRESSION(logger, expression, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_INFO, logger, (expression), stream_arg)
#define RCLCPP_INFO_FUNCTION(logger, function, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_INFO, logger, (*function)(), __VA_ARGS__)
#define RCLCPP_INFO_STREAM_FUNCTION(logger, function, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_INFO, logger, (*function)(), stream_arg)
#define RCLCPP_INFO_SKIPFIRST(logger, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_INFO, logger, RCLCPP_DETAIL_IS_NOT_FIRST, __VA_ARGS__)
#define RCLCPP_INFO_STREAM_SKIPFIRST(logger, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_INFO, logger, RCLCPP_DETAIL_IS_NOT_FIRST, stream_arg)
#define RCLCPP_INFO_THROTTLE(logger, clock, duration, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_INFO, logger, RCLCPP_DETAIL_IS_DUE(clock, duration), __VA_ARGS__)
#define RCLCPP_INFO_STREAM_THROTTLE(logger, clock, duration, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_INFO, logger, RCLCPP_DETAIL_IS_DUE(clock, duration), stream_arg)
#define RCLCPP_INFO_SKIPFIRST_THROTTLE(logger, clock, duration, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_INFO, logger, RCLCPP_DETAIL_IS_DUE(clock, duration) && RCLCPP_DETAIL_IS_NOT_FIRST, __VA_ARGS__)
#define RCLCPP_INFO_STREAM_SKIPFIRST_THROTTLE(logger, clock, duration, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_INFO, logger, RCLCPP_DETAIL_IS_DUE(clock, duration) && RCLCPP_DETAIL_IS_NOT_FIRST, stream_arg)
#endif

#if RCLCPP_LOG_MIN_SEVERITY > RCLCPP_LOG_MIN_SEVERITY_WARN
#define RCLCPP_WARN(...)
#define RCLCPP_WARN_STREAM(...)
#define RCLCPP_WARN_ONCE(...)
#define RCLCPP_WARN_STREAM_ONCE(...)
#define RCLCPP_WARN_EXPRESSION(...)
#define RCLCPP_WARN_STREAM_EXPRESSION(...)
#define RCLCPP_WARN_FUNCTION(...)
#define RCLCPP_WARN_STREAM_FUNCTION(...)
#define RCLCPP_WARN_SKIPFIRST(...)
#define RCLCPP_WARN_STREAM_SKIPFIRST(...)
#define RCLCPP_WARN_THROTTLE(...)
#define RCLCPP_WARN_STREAM_THROTTLE(...)
#define RCLCPP_WARN_SKIPFIRST_THROTTLE(...)
#define RCLCPP_WARN_STREAM_SKIPFIRST_THROTTLE(...)
#else
#define RCLCPP_WARN(logger, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_WARN, logger, true, __VA_ARGS__)
#define RCLCPP_WARN_STREAM(logger, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_WARN, logger, true, stream_arg)
#define RCLCPP_WARN_ONCE(logger, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_WARN, logger, RCLCPP_DETAIL_IS_FIRST, __VA_ARGS__)
#define RCLCPP_WARN_STREAM_ONCE(logger, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_WARN, logger, RCLCPP_DETAIL_IS_FIRST, stream_arg)
#define RCLCPP_WARN_EXPRESSION(logger, expression, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_WARN, logger, (expression), __VA_ARGS__)
#define RCLCPP_WARN_STREAM_EXPRESSION(logger, expression, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_WARN, logger, (expression), stream_arg)
#define RCLCPP_WARN_FUNCTION(logger, function, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_WARN, logger, (*function)(), __VA_ARGS__)
#define RCLCPP_WARN_STREAM_FUNCTION(logger, function, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_WARN, logger, (*function)(), stream_arg)
#define RCLCPP_WARN_SKIPFIRST(logger, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_WARN, logger, RCLCPP_DETAIL_IS_NOT_FIRST, __VA_ARGS__)
#define RCLCPP_WARN_STREAM_SKIPFIRST(logger, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_WARN, logger, RCLCPP_DETAIL_IS_NOT_FIRST, stream_arg)
#define RCLCPP_WARN_THROTTLE(logger, clock, duration, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_WARN, logger, RCLCPP_DETAIL_IS_DUE(clock, duration), __VA_ARGS__)
#define RCLCPP_WARN_STREAM_THROTTLE(logger, clock, duration, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_WARN, logger, RCLCPP_DETAIL_IS_DUE(clock, duration), stream_arg)
#define RCLCPP_WARN_SKIPFIRST_THROTTLE(logger, clock, duration, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_WARN, logger, RCLCPP_DETAIL_IS_DUE(clock, duration) && RCLCPP_DETAIL_IS_NOT_FIRST, __VA_ARGS__)
#define RCLCPP_WARN_STREAM_SKIPFIRST_THROTTLE(logger, clock, duration, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_WARN, logger, RCLCPP_DETAIL_IS_DUE(clock, duration) && RCLCPP_DETAIL_IS_NOT_FIRST, stream_arg)
#endif

#if RCLCPP_LOG_MIN_SEVERITY > RCLCPP_LOG_MIN_SEVERITY_ERROR
#define RCLCPP_ERROR(...)
#define RCLCPP_ERROR_STREAM(...)
#define RCLCPP_ERROR_ONCE(...)
#define RCLCPP_ERROR_STREAM_ONCE(...)
#define RCLCPP_ERROR_EXPRESSION(...)
#define RCLCPP_ERROR_STREAM_EXPRESSION(...)
#define RCLCPP_ERROR_FUNCTION(...)
#define RCLCPP_ERROR_STREAM_FUNCTION(...)
#define RCLCPP_ERROR_SKIPFIRST(...)
#define RCLCPP_ERROR_STREAM_SKIPFIRST(...)
#define RCLCPP_ERROR_THROTTLE(...)
#define RCLCPP_ERROR_STREAM_THROTTLE(...)
#define RCLCPP_ERROR_SKIPFIRST_THROTTLE(...)
#define RCLCPP_ERROR_STREAM_SKIPFIRST_THROTTLE(...)
#else
#define RCLCPP_ERROR(logger, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_ERROR, logger, true, __VA_ARGS__)
#define RCLCPP_ERROR_STREAM(logger, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_ERROR, logger, true, stream_arg)
#define RCLCPP_ERROR_ONCE(logger, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_ERROR, logger, RCLCPP_DETAIL_IS_FIRST, __VA_ARGS__)
#define RCLCPP_ERROR_STREAM_ONCE(logger, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_ERROR, logger, RCLCPP_DETAIL_IS_FIRST, stream_arg)
#define RCLCPP_ERROR_EXPRESSION(logger, expression, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_ERROR, logger, (expression), __VA_ARGS__)
#define RCLCPP_ERROR_STREAM_EXPRESSION(logger, expression, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_ERROR, logger, (expression), stream_arg)
#define RCLCPP_ERROR_FUNCTION(logger, function, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_ERROR, logger, (*function)(), __VA_ARGS__)
#define RCLCPP_ERROR_STREAM_FUNCTION(logger, function, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_ERROR, logger, (*function)(), stream_arg)
#define RCLCPP_ERROR_SKIPFIRST(logger, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_ERROR, logger, RCLCPP_DETAIL_IS_NOT_FIRST, __VA_ARGS__)
#define RCLCPP_ERROR_STREAM_SKIPFIRST(logger, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_ERROR, logger, RCLCPP_DETAIL_IS_NOT_FIRST, stream_arg)
#define RCLCPP_ERROR_THROTTLE(logger, clock, duration, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_ERROR, logger, RCLCPP_DETAIL_IS_DUE(clock, duration), __VA_ARGS__)
#define RCLCPP_ERROR_STREAM_THROTTLE(logger, clock, duration, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_ERROR, logger, RCLCPP_DETAIL_IS_DUE(clock, duration), stream_arg)
#define RCLCPP_ERROR_SKIPFIRST_THROTTLE(logger, clock, duration, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_ERROR, logger, RCLCPP_DETAIL_IS_DUE(clock, duration) && RCLCPP_DETAIL_IS_NOT_FIRST, __VA_ARGS__)
#define RCLCPP_ERROR_STREAM_SKIPFIRST_THROTTLE(logger, clock, duration, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_ERROR, logger, RCLCPP_DETAIL_IS_DUE(clock, duration) && RCLCPP_DETAIL_IS_NOT_FIRST, stream_arg)
#endif

#if RCLCPP_LOG_MIN_SEVERITY > RCLCPP_LOG_MIN_SEVERITY_FATAL
#define RCLCPP_FATAL(...)
#define RCLCPP_FATAL_STREAM(...)
#define RCLCPP_FATAL_ONCE(...)
#define RCLCPP_FATAL_STREAM_ONCE(...)
#define RCLCPP_FATAL_EXPRESSION(...)
#define RCLCPP_FATAL_STREAM_EXPRESSION(...)
#define RCLCPP_FATAL_FUNCTION(...)
#define RCLCPP_FATAL_STREAM_FUNCTION(...)
#define RCLCPP_FATAL_SKIPFIRST(...)
#define RCLCPP_FATAL_STREAM_SKIPFIRST(...)
#define RCLCPP_FATAL_THROTTLE(...)
#define RCLCPP_FATAL_STREAM_THROTTLE(...)
#define RCLCPP_FATAL_SKIPFIRST_THROTTLE(...)
#define RCLCPP_FATAL_STREAM_SKIPFIRST_THROTTLE(...)
#else
#define RCLCPP_FATAL(logger, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_FATAL, logger, true, __VA_ARGS__)
#define RCLCPP_FATAL_STREAM(logger, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_FATAL, logger, true, stream_arg)
#define RCLCPP_FATAL_ONCE(logger, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_FATAL, logger, RCLCPP_DETAIL_IS_FIRST, __VA_ARGS__)
#define RCLCPP_FATAL_STREAM_ONCE(logger, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_FATAL, logger, RCLCPP_DETAIL_IS_FIRST, stream_arg)
#define RCLCPP_FATAL_EXPRESSION(logger, expression, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_FATAL, logger, (expression), __VA_ARGS__)
#define RCLCPP_FATAL_STREAM_EXPRESSION(logger, expression, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_FATAL, logger, (expression), stream_arg)
#define RCLCPP_FATAL_FUNCTION(logger, function, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_FATAL, logger, (*function)(), __VA_ARGS__)
#define RCLCPP_FATAL_STREAM_FUNCTION(logger, function, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_FATAL, logger, (*function)(), stream_arg)
#define RCLCPP_FATAL_SKIPFIRST(logger, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_FATAL, logger, RCLCPP_DETAIL_IS_NOT_FIRST, __VA_ARGS__)
#define RCLCPP_FATAL_STREAM_SKIPFIRST(logger, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_FATAL, logger, RCLCPP_DETAIL_IS_NOT_FIRST, stream_arg)
#define RCLCPP_FATAL_THROTTLE(logger, clock, duration, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_FATAL, logger, RCLCPP_DETAIL_IS_DUE(clock, duration), __VA_ARGS__)
#define RCLCPP_FATAL_STREAM_THROTTLE(logger, clock, duration, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_FATAL, logger, RCLCPP_DETAIL_IS_DUE(clock, duration), stream_arg)
#define RCLCPP_FATAL_SKIPFIRST_THROTTLE(logger, clock, duration, ...) \
  RCLCPP_DETAIL_LOG(RCUTILS_LOG_SEVERITY_FATAL, logger, RCLCPP_DETAIL_IS_DUE(clock, duration) && RCLCPP_DETAIL_IS_NOT_FIRST, __VA_ARGS__)
#define RCLCPP_FATAL_STREAM_SKIPFIRST_THROTTLE(logger, clock, duration, stream_arg) \
  RCLCPP_DETAIL_LOG_STREAM(RCUTILS_LOG_SEVERITY_FATAL, logger, RCLCPP_DETAIL_IS_DUE(clock, duration) && RCLCPP_DETAIL_IS_NOT_FIRST, stream_arg)
#endif

#endif  // RCLCPP__LOGGING_HPP_
