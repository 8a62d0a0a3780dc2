#include "rclcpp/logging.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "libsaltus.hpp"
#include "rcutils/error_handling.h"
#include "rcutils/saltus_logging.h"

namespace rclcpp
{
namespace
{

/// False until the levels that rcutils has at the start are known.
bool follows_rcutils = false;

/// Gives libsaltus a level that rcutils has got.
void set_level_of_saltus(const char * name, int level)
{
  // The default level at the start must not replace that of libsaltus.
  if (follows_rcutils || *name != '\0') {
    saltus_logger_set_level(name, static_cast<uint8_t>(level));
  }
}

/// Hears of the levels of rcutils while the library is loaded.
struct LevelHook
{
  LevelHook()
  {
    saltus_rcutils_set_level_hook(&set_level_of_saltus);
    follows_rcutils = true;
  }
  LevelHook(const LevelHook &) = delete;
  LevelHook & operator=(const LevelHook &) = delete;
  ~LevelHook() {saltus_rcutils_set_level_hook(nullptr);}
};

const LevelHook level_hook;

/// The loggers that publish, by their names.
class NodeLoggers
{
public:
  /// They exist as long as the process: destructors of static objects log, too.
  static NodeLoggers & all()
  {
    static NodeLoggers * const instance = new NodeLoggers;
    return *instance;
  }

  void add(const std::string & name, const std::shared_ptr<saltus_logger_t> & handle)
  {
    std::unique_lock<std::shared_mutex> lock(mutex_);
    for (auto entry = handles_.begin(); entry != handles_.end(); ) {
      entry = entry->second.expired() ? handles_.erase(entry) : std::next(entry);
    }
    handles_.emplace(name, handle);
  }

  std::shared_ptr<saltus_logger_t> find(const std::string & name) const
  {
    std::shared_lock<std::shared_mutex> lock(mutex_);
    const auto [first, last] = handles_.equal_range(name);
    for (auto entry = first; entry != last; ++entry) {
      if (auto handle = entry->second.lock()) {
        return handle;
      }
    }
    return nullptr;
  }

private:
  mutable std::shared_mutex mutex_;
  std::multimap<std::string, std::weak_ptr<saltus_logger_t>> handles_;
};

}  // namespace

Logger get_logger(const std::string & name)
{
  auto * logger = detail::created<saltus_logger_t>(
    "could not get a logger", [&](saltus_logger_t ** place) {return saltus_logger_create(name.c_str(), place);});
  return Logger(detail::shared(logger, &saltus_logger_destroy), name, false);
}

namespace
{

/// Returns the value of a variable of the environment, with the home folder for a leading `~`; empty if it is not set.
std::string folder_of(const char * variable)
{
  const char * value = std::getenv(variable);
  if (value == nullptr || *value != '~') {
    return value == nullptr ? "" : value;
  }
  const char * home = std::getenv("HOME");
  return (home == nullptr ? "" : home) + std::string(value + 1);
}

}  // namespace

rcpputils::fs::path get_logging_directory()
{
  const std::string logs = folder_of("ROS_LOG_DIR");
  if (!logs.empty()) {
    return rcpputils::fs::path(logs);
  }
  const std::string ros_home = folder_of("ROS_HOME");
  const std::string home = ros_home.empty() ? folder_of("HOME") + "/.ros" : ros_home;
  return rcpputils::fs::path(home) / "log";
}

Logger::Logger(std::shared_ptr<saltus_logger_t> handle, const std::string & name, bool is_of_node)
: handle_(std::move(handle)), name_(std::make_shared<const std::string>(name)), is_of_node_(is_of_node)
{
  if (is_of_node) {
    NodeLoggers::all().add(name, handle_);
  }
}

const char * Logger::get_name() const {return name_->c_str();}

Logger Logger::get_child(const std::string & suffix)
{
  const auto of_node = is_of_node_ ? handle_ : NodeLoggers::all().find(*name_);
  auto * child = detail::created<saltus_logger_t>(
    "could not get a logger", [&](saltus_logger_t ** place) {
      return saltus_logger_child(of_node ? of_node.get() : handle_.get(), suffix.c_str(), place);
    });
  return Logger(detail::shared(child, &saltus_logger_destroy), *name_ + "." + suffix, of_node != nullptr);
}

void Logger::set_level(Level level)
{
  // The hook gives it to libsaltus.
  if (rcutils_logging_set_logger_level(name_->c_str(), static_cast<int>(level)) != RCUTILS_RET_OK) {
    exceptions::throw_from_rcl_error(
      RCL_RET_INVALID_ARGUMENT, "could not set the level of a logger", rcutils_get_error_state(), rcutils_reset_error);
  }
}

Logger::Level Logger::get_effective_level() const {return static_cast<Level>(saltus_logger_level(name_->c_str()));}

bool Logger::is_enabled(int severity) const
{
  return saltus_logger_is_enabled(handle_.get(), static_cast<uint8_t>(severity));
}

namespace detail
{

void log(const Logger & logger, int severity, const rcutils_log_location_t & location, const char * format, ...)
{
  char small[1024];
  va_list arguments;
  va_start(arguments, format);
  va_list again;
  va_copy(again, arguments);
  const int size = std::vsnprintf(small, sizeof small, format, arguments);
  std::vector<char> large;
  const char * text = small;
  if (size >= static_cast<int>(sizeof small)) {
    large.resize(static_cast<size_t>(size) + 1);
    std::vsnprintf(large.data(), large.size(), format, again);
    text = large.data();
  }
  va_end(again);
  va_end(arguments);
  if (rcutils_logging_get_output_handler() != rcutils_logging_console_output_handler) {
    rcutils_log_internal(&location, severity, logger.get_name(), "%s", text);
    return;
  }
  const auto of_node = logger.is_of_node() ? nullptr : NodeLoggers::all().find(logger.get_name());
  saltus_log(
    of_node ? of_node.get() : logger.get_saltus_logger(), static_cast<uint8_t>(severity), location.file_name,
    location.function_name, static_cast<unsigned>(location.line_number), text);
}

}  // namespace detail
}  // namespace rclcpp
