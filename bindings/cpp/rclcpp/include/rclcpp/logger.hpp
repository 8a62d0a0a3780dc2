#ifndef RCLCPP__LOGGER_HPP_
#define RCLCPP__LOGGER_HPP_

#include <memory>
#include <string>

#include "rcl/allocator.h"
#include "rclcpp/visibility_control.hpp"
#include "rcpputils/filesystem_helper.hpp"
#include "rcutils/logging.h"

struct rcl_node_s;
struct saltus_logger_t;

namespace rclcpp
{

class Logger;

/// Returns the logger with a name. Dots in the name separate levels: "a.b" is below "a".
RCLCPP_PUBLIC Logger get_logger(const std::string & name);

/// Returns the folder where ROS 2 would write log files: `ROS_LOG_DIR`, or `log` in `ROS_HOME`, or `~/.ros/log`. Saltus writes none.
RCLCPP_PUBLIC rcpputils::fs::path get_logging_directory();

/// Returns the logger of a node of NodeBaseInterface::get_rcl_node_handle().
RCLCPP_PUBLIC Logger get_node_logger(const rcl_node_s * node);

namespace node_interfaces
{
class NodeBaseInterface;
}

/// Writes records to the console. The logger of a node, those below it that get_child() has returned, and other loggers with these
/// names also publish them on /rosout, as long as the node or the child exists. If the program has set an output handler
/// with rcutils_logging_set_output_handler(), this gets the records instead.
class RCLCPP_PUBLIC Logger
{
public:
  enum class Level
  {
    Unset = RCUTILS_LOG_SEVERITY_UNSET,
    Debug = RCUTILS_LOG_SEVERITY_DEBUG,
    Info = RCUTILS_LOG_SEVERITY_INFO,
    Warn = RCUTILS_LOG_SEVERITY_WARN,
    Error = RCUTILS_LOG_SEVERITY_ERROR,
    Fatal = RCUTILS_LOG_SEVERITY_FATAL,
  };

  Logger(const Logger &) = default;
  Logger(Logger &&) = default;
  Logger & operator=(const Logger &) = default;
  Logger & operator=(Logger &&) = default;
  ~Logger() = default;

  /// Returns the name.
  const char * get_name() const;
  /// Returns a logger below this one.
  Logger get_child(const std::string & suffix);
  /// Sets the lowest severity that is logged, as rcutils_logging_set_logger_level() does.
  void set_level(Level level);
  /// Returns the level of this logger, or of the nearest one above it that has one.
  Level get_effective_level() const;

  /// Whether records of a severity are logged.
  bool is_enabled(int severity) const;
  /// Takes over a logger of libsaltus. `is_of_node` is whether its records are published on /rosout.
  Logger(std::shared_ptr<saltus_logger_t> handle, const std::string & name, bool is_of_node);
  bool is_of_node() const {return is_of_node_;}
  /// Returns the logger of libsaltus.
  saltus_logger_t * get_saltus_logger() const {return handle_.get();}

private:
  std::shared_ptr<saltus_logger_t> handle_;
  std::shared_ptr<const std::string> name_;
  bool is_of_node_;
};

namespace detail
{

/// Logs a record whose text is formatted as printf does.
RCLCPP_PUBLIC void log(
  const Logger & logger, int severity, const rcutils_log_location_t & location, const char * format, ...)
__attribute__((format(printf, 4, 5)));

}  // namespace detail
}  // namespace rclcpp

#endif  // RCLCPP__LOGGER_HPP_
