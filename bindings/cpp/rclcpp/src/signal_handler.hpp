// Shuts contexts down when a signal comes.
#ifndef SIGNAL_HANDLER_HPP_
#define SIGNAL_HANDLER_HPP_

#include <memory>

#include "rclcpp/context.hpp"

namespace rclcpp
{

/// A thread that shuts contexts down. The thread of a signal has a small stack, and the callbacks of a program may need more.
class SignalHandler
{
public:
  /// Called by libsaltus when a signal comes.
  static void on_signal(void * context);
  /// Adds a context that a signal shuts down, if its options say so.
  static void add(const Context::SharedPtr & context);
  /// Removes a context.
  static void remove(const Context * context);

  /// Makes signals shut contexts down. It is for contexts that libsaltus has made without signals.
  static void install(bool interrupt, bool terminate);
  /// Restores the handlers that install() has replaced.
  static void uninstall();

private:
  static void run();
};

}  // namespace rclcpp

#endif  // SIGNAL_HANDLER_HPP_
