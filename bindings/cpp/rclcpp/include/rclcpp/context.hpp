#ifndef RCLCPP__CONTEXT_HPP_
#define RCLCPP__CONTEXT_HPP_

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <typeindex>
#include <utility>
#include <vector>

#include "rclcpp/init_options.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/visibility_control.hpp"

struct saltus_context_t;

namespace rclcpp
{

/// Thrown by init() of a context that is initialized.
class RCLCPP_PUBLIC ContextAlreadyInitialized : public std::runtime_error
{
public:
  ContextAlreadyInitialized()
  : std::runtime_error("context is already initialized") {}
};

/// Names a callback that was added to a context. It may be dropped.
class ShutdownCallbackHandle
{
public:
  using ShutdownCallbackType = std::function<void ()>;

private:
  friend class Context;
  std::weak_ptr<ShutdownCallbackType> callback;
};

using OnShutdownCallbackHandle = ShutdownCallbackHandle;
using PreShutdownCallbackHandle = ShutdownCallbackHandle;

/// This process as a participant of the graph of a domain.
class RCLCPP_PUBLIC Context : public std::enable_shared_from_this<Context>
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(Context)

  using OnShutdownCallback = OnShutdownCallbackHandle::ShutdownCallbackType;
  using PreShutdownCallback = PreShutdownCallbackHandle::ShutdownCallbackType;

  Context();
  Context(const Context &) = delete;
  Context & operator=(const Context &) = delete;
  virtual ~Context();

  /// Joins the graph. The arguments between --ros-args and -- are for ROS.
  /// \throws ContextAlreadyInitialized, rclcpp::exceptions::RCLInvalidROSArgsError, UnknownROSArgsError
  virtual void init(int argc, char const * const * argv, const InitOptions & init_options = InitOptions());
  /// Whether the context was initialized, and not shut down.
  bool is_valid() const;
  const InitOptions & get_init_options() const;
  InitOptions get_init_options();
  size_t get_domain_id() const;
  /// Returns the reason of the last shutdown, or an empty text.
  std::string shutdown_reason() const;
  /// Calls the callbacks before the shutdown, ends all executors, and calls the callbacks after it. Returns false if the
  /// context was shut down before.
  virtual bool shutdown(const std::string & reason);

  /// Adds a callback that is called after a shutdown.
  virtual OnShutdownCallback on_shutdown(OnShutdownCallback callback);
  virtual OnShutdownCallbackHandle add_on_shutdown_callback(OnShutdownCallback callback);
  virtual bool remove_on_shutdown_callback(const OnShutdownCallbackHandle & callback_handle);
  /// Adds a callback that is called before a shutdown, while everything still works.
  virtual PreShutdownCallbackHandle add_pre_shutdown_callback(PreShutdownCallback callback);
  virtual bool remove_pre_shutdown_callback(const PreShutdownCallbackHandle & callback_handle);
  std::vector<OnShutdownCallback> get_on_shutdown_callbacks() const;
  std::vector<PreShutdownCallback> get_pre_shutdown_callbacks() const;

  /// Waits for a duration, or until a shutdown. Returns whether the context is valid.
  bool sleep_for(const std::chrono::nanoseconds & nanoseconds);
  /// Ends all waits of sleep_for().
  void interrupt_all_sleep_for();

  /// Returns the object of a class that belongs to the context. It is made at the first call.
  template<typename SubContext, typename ... Args>
  std::shared_ptr<SubContext> get_sub_context(Args && ... args)
  {
    auto make = [&]() -> std::shared_ptr<void> {
        return std::shared_ptr<SubContext>(new SubContext(std::forward<Args>(args) ...));
      };
    return std::static_pointer_cast<SubContext>(sub_context(typeid(SubContext), make));
  }

  /// Returns the context of libsaltus.
  /// \throws rclcpp::exceptions::RCLError if the context is not initialized
  saltus_context_t * get_saltus_context() const;
  /// Returns the arguments that are not for ROS, the name of the program included.
  std::vector<std::string> non_ros_arguments() const;

private:
  struct State;
  friend class SignalHandler;

  std::shared_ptr<void> sub_context(std::type_index type, const std::function<std::shared_ptr<void>()> & make);
  void init_with_signals(int argc, char const * const * argv, const InitOptions & init_options, unsigned signal_set);
  friend void init_default_context(int argc, char const * const * argv, const InitOptions &, unsigned signal_set);

  std::unique_ptr<State> state_;
};

RCLCPP_PUBLIC void init_default_context(int argc, char const * const * argv, const InitOptions &, unsigned signal_set);

}  // namespace rclcpp

#endif  // RCLCPP__CONTEXT_HPP_
