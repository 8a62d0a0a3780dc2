#ifndef RCLCPP__UTILITIES_HPP_
#define RCLCPP__UTILITIES_HPP_

#include <chrono>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "rclcpp/context.hpp"
#include "rclcpp/init_options.hpp"
#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{

/// The signals that shut contexts down.
enum class SignalHandlerOptions
{
  All,
  SigInt,
  SigTerm,
  None,
};

/// Initializes the default context. SIGINT and SIGTERM shut all contexts down whose options say so.
/// \throws ContextAlreadyInitialized, rclcpp::exceptions::RCLInvalidROSArgsError, UnknownROSArgsError
RCLCPP_PUBLIC void init(
  int argc, char const * const * argv, const InitOptions & init_options = InitOptions(),
  SignalHandlerOptions signal_handler_options = SignalHandlerOptions::All);

/// As init(). Returns the arguments that are not for ROS, the name of the program included.
RCLCPP_PUBLIC std::vector<std::string> init_and_remove_ros_arguments(
  int argc, char const * const * argv, const InitOptions & init_options = InitOptions());

/// Returns the arguments that are not for ROS, the name of the program included.
RCLCPP_PUBLIC std::vector<std::string> remove_ros_arguments(int argc, char const * const * argv);

/// Makes signals shut contexts down. Returns false if they do already.
RCLCPP_PUBLIC bool install_signal_handlers(SignalHandlerOptions signal_handler_options = SignalHandlerOptions::All);
/// Returns whether signals shut contexts down.
RCLCPP_PUBLIC bool signal_handlers_installed();
RCLCPP_PUBLIC SignalHandlerOptions get_current_signal_handler_options();
/// Restores the handlers that the signals had before. Returns whether they had been replaced.
RCLCPP_PUBLIC bool uninstall_signal_handlers();

/// Whether a context is valid; the default context if none is given.
RCLCPP_PUBLIC bool ok(rclcpp::Context::SharedPtr context = nullptr);

/// Shuts a context down; the default context if none is given. Returns false if it was shut down before.
RCLCPP_PUBLIC bool shutdown(
  rclcpp::Context::SharedPtr context = nullptr, const std::string & reason = "user called rclcpp::shutdown()");

/// Adds a callback that is called after the shutdown of a context.
RCLCPP_PUBLIC void on_shutdown(std::function<void()> callback, rclcpp::Context::SharedPtr context = nullptr);

/// Waits for a duration, or until a shutdown. Returns whether the context is valid.
RCLCPP_PUBLIC bool sleep_for(
  const std::chrono::nanoseconds & nanoseconds, rclcpp::Context::SharedPtr context = nullptr);

/// Whether x + y exceeds the largest number.
template<typename T>
bool add_will_overflow(const T x, const T y)
{
  return (y > 0) && (x > (std::numeric_limits<T>::max() - y));
}

/// Whether x + y is below the smallest number.
template<typename T>
bool add_will_underflow(const T x, const T y)
{
  return (y < 0) && (x < (std::numeric_limits<T>::min() - y));
}

/// Whether x - y exceeds the largest number.
template<typename T>
bool sub_will_overflow(const T x, const T y)
{
  return (y < 0) && (x > (std::numeric_limits<T>::max() + y));
}

/// Whether x - y is below the smallest number.
template<typename T>
bool sub_will_underflow(const T x, const T y)
{
  return (y > 0) && (x < (std::numeric_limits<T>::min() + y));
}

/// Returns a text as it is.
inline const char * get_c_string(const char * string_in) {return string_in;}
inline const char * get_c_string(const std::string & string_in) {return string_in.c_str();}

}  // namespace rclcpp

#endif  // RCLCPP__UTILITIES_HPP_
