#include "rclcpp/utilities.hpp"

#include <atomic>

#include "libsaltus.hpp"
#include "rclcpp/contexts/default_context.hpp"
#include "signal_handler.hpp"

namespace rclcpp
{
namespace
{

std::atomic<SignalHandlerOptions> installed{SignalHandlerOptions::None};

unsigned signals_of(SignalHandlerOptions options)
{
  switch (options) {
    case SignalHandlerOptions::All: return SALTUS_SIGNAL_INTERRUPT | SALTUS_SIGNAL_TERMINATE;
    case SignalHandlerOptions::SigInt: return SALTUS_SIGNAL_INTERRUPT;
    case SignalHandlerOptions::SigTerm: return SALTUS_SIGNAL_TERMINATE;
    default: return 0;
  }
}

Context::SharedPtr given_or_default(Context::SharedPtr context)
{
  return context ? context : contexts::get_global_default_context();
}

}  // namespace

void init(
  int argc, char const * const * argv, const InitOptions & init_options, SignalHandlerOptions signal_handler_options)
{
  init_default_context(argc, argv, init_options, signals_of(signal_handler_options));
  installed = signal_handler_options;
}

std::vector<std::string> init_and_remove_ros_arguments(
  int argc, char const * const * argv, const InitOptions & init_options)
{
  init(argc, argv, init_options);
  return contexts::get_global_default_context()->non_ros_arguments();
}

std::vector<std::string> remove_ros_arguments(int argc, char const * const * argv)
{
  std::vector<std::string> rest;
  bool is_ros = false;
  for (int index = 0; index < argc; ++index) {
    const std::string argument = argv[index];
    if (argument == "--ros-args") {
      is_ros = true;
    } else if (is_ros && argument == "--") {
      is_ros = false;
    } else if (!is_ros) {
      rest.push_back(argument);
    }
  }
  return rest;
}

bool signal_handlers_installed() {return installed != SignalHandlerOptions::None;}

SignalHandlerOptions get_current_signal_handler_options() {return installed;}

bool install_signal_handlers(SignalHandlerOptions signal_handler_options)
{
  SignalHandlerOptions none = SignalHandlerOptions::None;
  if (!installed.compare_exchange_strong(none, signal_handler_options)) {
    return false;
  }
  const unsigned signals = signals_of(signal_handler_options);
  SignalHandler::install((signals & SALTUS_SIGNAL_INTERRUPT) != 0, (signals & SALTUS_SIGNAL_TERMINATE) != 0);
  return true;
}

bool uninstall_signal_handlers()
{
  SignalHandler::uninstall();
  const bool were_installed = installed.exchange(SignalHandlerOptions::None) != SignalHandlerOptions::None;
  if (were_installed) {
    detail::check(saltus_signals_restore(), "could not restore the signal handlers");
  }
  return were_installed;
}

bool ok(Context::SharedPtr context) {return given_or_default(std::move(context))->is_valid();}

bool shutdown(Context::SharedPtr context, const std::string & reason)
{
  const bool is_default = !context || context == contexts::get_global_default_context();
  const bool was_valid = given_or_default(std::move(context))->shutdown(reason);
  if (is_default) {
    uninstall_signal_handlers();
  }
  return was_valid;
}

void on_shutdown(std::function<void()> callback, Context::SharedPtr context)
{
  given_or_default(std::move(context))->on_shutdown(std::move(callback));
}

bool sleep_for(const std::chrono::nanoseconds & nanoseconds, Context::SharedPtr context)
{
  return given_or_default(std::move(context))->sleep_for(nanoseconds);
}

}  // namespace rclcpp
