// Levels, the output handler, and the start of logging. The console is in logging_console.cpp.
#include "rcutils/logging.h"

#include <strings.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "logging_console.hpp"
#include "rcutils/logging_macros.h"
#include "rcutils/saltus_logging.h"

const char * const g_rcutils_log_severity_names[RCUTILS_LOG_SEVERITY_FATAL + 1] = {
  "UNSET", nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
  "DEBUG", nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
  "INFO", nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
  "WARN", nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
  "ERROR", nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
  "FATAL"};

bool g_rcutils_logging_initialized = false;

namespace
{

// The levels of all loggers. "" is the name of the default level.
class LevelTable
{
public:
  int default_level() const {return default_.load(std::memory_order_relaxed);}

  // The level that was set for a name, or RCUTILS_LOG_SEVERITY_UNSET.
  int level_of(std::string_view name) const
  {
    if (name.empty()) {
      return default_level();
    }
    std::shared_lock<std::shared_mutex> lock(mutex_);
    const auto found = levels_.find(name);
    return found == levels_.end() ? RCUTILS_LOG_SEVERITY_UNSET : found->second;
  }

  // The level of the name or of its nearest parent with a level, or the default.
  int effective_level_of(std::string_view name) const
  {
    if (!has_named_levels_.load(std::memory_order_relaxed)) {
      return default_level();
    }
    std::shared_lock<std::shared_mutex> lock(mutex_);
    while (!name.empty()) {
      const auto found = levels_.find(name);
      if (found != levels_.end()) {
        return found->second;
      }
      const size_t separator = name.rfind(RCUTILS_LOGGING_SEPARATOR_CHAR);
      name = separator == std::string_view::npos ? std::string_view() : name.substr(0, separator);
    }
    return default_level();
  }

  bool passes(const char * name, int severity) const
  {
    // Most calls of a running system are of a severity that no logger passes. They don't look at the name.
    return severity >= lowest_.load(std::memory_order_relaxed) && severity >= effective_level_of(name ? name : "");
  }

  // Throws std::bad_alloc.
  void set(std::string_view name, int level)
  {
    std::unique_lock<std::shared_mutex> lock(mutex_);
    if (name.empty()) {
      default_ = level;
    } else if (level == RCUTILS_LOG_SEVERITY_UNSET) {
      const auto found = levels_.find(name);
      if (found != levels_.end()) {
        levels_.erase(found);
      }
    } else {
      levels_[std::string(name)] = level;
    }
    summarize();
  }

  void clear()
  {
    std::unique_lock<std::shared_mutex> lock(mutex_);
    levels_.clear();
    default_ = RCUTILS_DEFAULT_LOGGER_DEFAULT_LEVEL;
    summarize();
  }

  // Throws std::bad_alloc.
  std::vector<std::pair<std::string, int>> all() const
  {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    std::vector<std::pair<std::string, int>> result = {{"", default_level()}};
    result.insert(result.end(), levels_.begin(), levels_.end());
    return result;
  }

private:
  void summarize()
  {
    int lowest = default_;
    for (const auto & level : levels_) {
      lowest = std::min(lowest, level.second);
    }
    lowest_ = lowest;
    has_named_levels_ = !levels_.empty();
  }

  mutable std::shared_mutex mutex_;
  std::map<std::string, int, std::less<>> levels_;
  std::atomic<int> default_{RCUTILS_DEFAULT_LOGGER_DEFAULT_LEVEL};
  std::atomic<int> lowest_{RCUTILS_DEFAULT_LOGGER_DEFAULT_LEVEL};
  std::atomic<bool> has_named_levels_{false};
};

// Never destroyed, so that destructors of static objects can log.
LevelTable & levels()
{
  alignas(LevelTable) static unsigned char memory[sizeof(LevelTable)];
  static LevelTable * const instance = new (memory) LevelTable;
  return *instance;
}

std::mutex initialize_mutex;
std::atomic<bool> is_initialized{false};
std::atomic<rcutils_logging_output_handler_t> output_handler{rcutils_logging_console_output_handler};
std::atomic<saltus_rcutils_level_hook_t> level_hook{nullptr};

void tell_hook(const char * name, int level)
{
  if (const auto hook = level_hook.load()) {
    hook(name, level);
  }
}

void set_initialized(bool value)
{
  is_initialized.store(value, std::memory_order_release);
  __atomic_store_n(&g_rcutils_logging_initialized, value, __ATOMIC_RELAXED);
}

void log_with_arguments(
  const rcutils_log_location_t * location, int severity, const char * name, const char * format, va_list * args)
{
  // A program may log between a failed call and its use of errno.
  const int saved_errno = errno;
  const auto handler = output_handler.load();
  if (!handler || !format || rcutils_logging_initialize() != RCUTILS_RET_OK) {
    return;
  }
  rcutils_time_point_value_t now = 0;
  if (rcutils_system_time_now(&now) != RCUTILS_RET_OK) {
    rcutils_reset_error();
  }
  handler(location, severity, name ? name : "", now, format, args);
  errno = saved_errno;
}

bool is_severity(int level)
{
  return level >= 0 && level <= RCUTILS_LOG_SEVERITY_FATAL && g_rcutils_log_severity_names[level];
}

}  // namespace

rcutils_ret_t rcutils_logging_initialize()
{
  if (is_initialized.load(std::memory_order_acquire)) {
    return RCUTILS_RET_OK;
  }
  try {
    std::lock_guard<std::mutex> lock(initialize_mutex);
    if (!is_initialized) {
      rcutils_internal::configure_console();
      set_initialized(true);
    }
    return RCUTILS_RET_OK;
  } catch (...) {
    RCUTILS_SET_ERROR_MSG("no memory to initialize logging");
    return RCUTILS_RET_BAD_ALLOC;
  }
}

rcutils_ret_t rcutils_logging_initialize_with_allocator(rcutils_allocator_t allocator)
{
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(&allocator, "the allocator is not valid", return RCUTILS_RET_INVALID_ARGUMENT);
  return rcutils_logging_initialize();
}

rcutils_ret_t rcutils_logging_shutdown()
{
  std::lock_guard<std::mutex> lock(initialize_mutex);
  output_handler = rcutils_logging_console_output_handler;
  std::vector<std::pair<std::string, int>> cleared;
  try {
    cleared = levels().all();
  } catch (...) {
    RCUTILS_SET_ERROR_MSG("no memory to shut logging down");
    return RCUTILS_RET_BAD_ALLOC;
  }
  levels().clear();
  for (const auto & [name, level] : cleared) {
    tell_hook(name.c_str(), name.empty() ? RCUTILS_DEFAULT_LOGGER_DEFAULT_LEVEL : RCUTILS_LOG_SEVERITY_UNSET);
  }
  set_initialized(false);
  return RCUTILS_RET_OK;
}

rcutils_ret_t rcutils_logging_severity_level_from_string(
  const char * severity_string, rcutils_allocator_t allocator, int * severity)
{
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(&allocator, "the allocator is not valid", return RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(severity_string, RCUTILS_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(severity, RCUTILS_RET_INVALID_ARGUMENT);
  for (int level = 0; level <= RCUTILS_LOG_SEVERITY_FATAL; ++level) {
    if (is_severity(level) && strcasecmp(g_rcutils_log_severity_names[level], severity_string) == 0) {
      *severity = level;
      return RCUTILS_RET_OK;
    }
  }
  return RCUTILS_RET_LOGGING_SEVERITY_STRING_INVALID;
}

rcutils_logging_output_handler_t rcutils_logging_get_output_handler() {return output_handler.load();}

void rcutils_logging_set_output_handler(rcutils_logging_output_handler_t function)
{
  output_handler.store(function);
}

int rcutils_logging_get_default_logger_level() {return levels().default_level();}

void rcutils_logging_set_default_logger_level(int level)
{
  const int set_level = level == RCUTILS_LOG_SEVERITY_UNSET ? RCUTILS_DEFAULT_LOGGER_DEFAULT_LEVEL : level;
  if (rcutils_logging_set_logger_level("", set_level) != RCUTILS_RET_OK) {
    rcutils_write_to_stderr("rcutils: %d is no level for the default logger\n", level);
    rcutils_reset_error();
  }
}

int rcutils_logging_get_logger_level(const char * name)
{
  return name ? levels().level_of(name) : -1;
}

int rcutils_logging_get_logger_leveln(const char * name, size_t name_length)
{
  return name ? levels().level_of(std::string_view(name, name_length)) : -1;
}

rcutils_ret_t rcutils_logging_set_logger_level(const char * name, int level)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(name, RCUTILS_RET_INVALID_ARGUMENT);
  if (!is_severity(level)) {
    RCUTILS_SET_ERROR_MSG_WITH_FORMAT_STRING("%d is no level for the logger '%s'", level, name);
    return RCUTILS_RET_INVALID_ARGUMENT;
  }
  try {
    levels().set(name, level);
  } catch (...) {
    RCUTILS_SET_ERROR_MSG("no memory for the level of a logger");
    return RCUTILS_RET_BAD_ALLOC;
  }
  tell_hook(name, level);
  return RCUTILS_RET_OK;
}

bool rcutils_logging_logger_is_enabled_for(const char * name, int severity)
{
  return levels().passes(name, severity);
}

int rcutils_logging_get_logger_effective_level(const char * name)
{
  RCUTILS_CHECK_ARGUMENT_FOR_NULL(name, -1);
  return levels().effective_level_of(name);
}

void rcutils_log(
  const rcutils_log_location_t * location, int severity, const char * name, const char * format, ...)
{
  if (!rcutils_logging_logger_is_enabled_for(name, severity)) {
    return;
  }
  va_list args;
  va_start(args, format);
  log_with_arguments(location, severity, name, format, &args);
  va_end(args);
}

void rcutils_log_internal(
  const rcutils_log_location_t * location, int severity, const char * name, const char * format, ...)
{
  va_list args;
  va_start(args, format);
  log_with_arguments(location, severity, name, format, &args);
  va_end(args);
}

void saltus_rcutils_set_level_hook(saltus_rcutils_level_hook_t hook)
{
  level_hook.store(hook);
  if (!hook) {
    return;
  }
  try {
    for (const auto & level : levels().all()) {
      hook(level.first.c_str(), level.second);
    }
  } catch (...) {
    rcutils_write_to_stderr("rcutils: no memory to tell the level hook of present levels\n");
  }
}

bool rcutils_log_condition_once(unsigned char * state)
{
  // Most calls come after the first, and only read.
  return __atomic_load_n(state, __ATOMIC_RELAXED) == 0 && __atomic_exchange_n(state, 1, __ATOMIC_RELAXED) == 0;
}

bool rcutils_log_condition_skipfirst(unsigned char * state)
{
  return !rcutils_log_condition_once(state);
}

bool rcutils_log_condition_throttle(
  int64_t * state, rcutils_ret_t ret, rcutils_time_point_value_t now, int64_t duration_ms)
{
  if (ret != RCUTILS_RET_OK) {
    rcutils_write_to_stderr("rcutils: can't read the clock of a throttled message: %s\n",
      rcutils_get_error_string().str);
    rcutils_reset_error();
    return true;
  }
  // The state is the time of the last message, and 0 before the first.
  int64_t last = __atomic_load_n(state, __ATOMIC_RELAXED);
  const bool is_same_period = last != 0 && now >= last && (now - last) / 1000000 < duration_ms;
  const int64_t next = now == 0 ? -1 : now;
  return !is_same_period && __atomic_compare_exchange_n(state, &last, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
