#include "rclcpp/context.hpp"

#include <algorithm>
#include <condition_variable>
#include <map>
#include <mutex>

#include "libsaltus.hpp"
#include "rclcpp/contexts/default_context.hpp"
#include "rcutils/logging.h"
#include "signal_handler.hpp"

namespace rclcpp
{

using Callbacks = std::vector<std::shared_ptr<std::function<void()>>>;

/// What a context has.
struct Context::State
{
  mutable std::recursive_mutex mutex;
  std::shared_ptr<saltus_context_t> handle;
  InitOptions options;
  std::string reason;
  std::mutex callback_mutex;
  Callbacks pre_shutdown;
  Callbacks on_shutdown;
  std::mutex sleep_mutex;
  std::condition_variable interrupted;
  uint64_t interruptions = 0;
  std::recursive_mutex sub_context_mutex;
  std::map<std::type_index, std::shared_ptr<void>> sub_contexts;
};

Context::Context()
: state_(std::make_unique<State>()) {}

Context::~Context()
{
  try {
    shutdown("context destructor was called while still not shutdown");
  } catch (...) {
    // A destructor must not throw; the callbacks of the program are its own affair.
  }
}

void Context::init(int argc, char const * const * argv, const InitOptions & init_options)
{
  init_with_signals(argc, argv, init_options, 0);
}

namespace
{

void set_level_of_rcutils(void *, const char * name, uint8_t level)
{
  if (rcutils_logging_set_logger_level(name, level) != RCUTILS_RET_OK) {
    rcutils_reset_error();
  }
}

}  // namespace

void Context::init_with_signals(
  int argc, char const * const * argv, const InitOptions & init_options, unsigned signals)
{
  std::lock_guard<std::recursive_mutex> lock(state_->mutex);
  if (is_valid()) {
    throw ContextAlreadyInitialized();
  }
  saltus_context_options_t options;
  saltus_context_options_init(&options, sizeof options);
  options.argument_count = argv == nullptr ? 0 : static_cast<size_t>(argc);
  options.arguments = argv;
  options.signal_set = signals;
  if (signals != 0) {
    options.on_signal = &SignalHandler::on_signal;
  }
  if (init_options.get_domain_id() != SIZE_MAX) {
    options.domain = static_cast<uint32_t>(init_options.get_domain_id());
  }
  saltus_context_t * handle = nullptr;
  const saltus_status_t status = saltus_context_create(&options, &handle);
  if (status == SALTUS_UNKNOWN_ROS_ARGUMENTS) {
    throw exceptions::UnknownROSArgsError({detail::last_error()});
  }
  detail::check(status, "failed to initialize rcl");
  state_->handle = detail::shared(handle, &saltus_context_destroy);
  {
    std::lock_guard<std::recursive_mutex> of_sub_contexts(state_->sub_context_mutex);
    state_->sub_contexts.clear();
  }
  state_->options = init_options;
  state_->reason.clear();
  // The levels of --log-level are those of the macros of rcutils, too.
  rcutils_logging_set_default_logger_level(saltus_logger_level(""));
  detail::check(saltus_logger_levels(&set_level_of_rcutils, nullptr), "failed to read the levels of loggers");
  SignalHandler::add(shared_from_this());
}

bool Context::is_valid() const
{
  std::lock_guard<std::recursive_mutex> lock(state_->mutex);
  return state_->handle && saltus_context_is_ok(state_->handle.get());
}

const InitOptions & Context::get_init_options() const {return state_->options;}

InitOptions Context::get_init_options()
{
  std::lock_guard<std::recursive_mutex> lock(state_->mutex);
  return state_->options;
}

size_t Context::get_domain_id() const {return saltus_context_domain(get_saltus_context());}

std::string Context::shutdown_reason() const
{
  std::lock_guard<std::recursive_mutex> lock(state_->mutex);
  return state_->reason;
}

namespace
{

Callbacks copied(std::mutex & mutex, const Callbacks & callbacks)
{
  std::lock_guard<std::mutex> lock(mutex);
  return callbacks;
}

void call_all(std::mutex & mutex, const Callbacks & callbacks)
{
  for (const auto & callback : copied(mutex, callbacks)) {
    (*callback)();
  }
}

bool removed(std::mutex & mutex, Callbacks & callbacks, const std::shared_ptr<std::function<void()>> & callback)
{
  std::lock_guard<std::mutex> lock(mutex);
  const auto found = std::find(callbacks.begin(), callbacks.end(), callback);
  if (callback == nullptr || found == callbacks.end()) {
    return false;
  }
  callbacks.erase(found);
  return true;
}

std::vector<std::function<void()>> functions(const Callbacks & callbacks)
{
  std::vector<std::function<void()>> result;
  for (const auto & callback : callbacks) {
    result.push_back(*callback);
  }
  return result;
}

}  // namespace

bool Context::shutdown(const std::string & reason)
{
  std::shared_ptr<saltus_context_t> handle;
  {
    std::lock_guard<std::recursive_mutex> lock(state_->mutex);
    if (!is_valid()) {
      return false;
    }
    handle = state_->handle;
  }
  // Everything still works while these run.
  call_all(state_->callback_mutex, state_->pre_shutdown);
  {
    std::lock_guard<std::recursive_mutex> lock(state_->mutex);
    if (!is_valid()) {
      return false;
    }
    state_->reason = reason;
    saltus_context_shut_down(handle.get());
  }
  call_all(state_->callback_mutex, state_->on_shutdown);
  interrupt_all_sleep_for();
  SignalHandler::remove(this);
  return true;
}

Context::OnShutdownCallback Context::on_shutdown(OnShutdownCallback callback)
{
  add_on_shutdown_callback(callback);
  return callback;
}

OnShutdownCallbackHandle Context::add_on_shutdown_callback(OnShutdownCallback callback)
{
  auto held = std::make_shared<std::function<void()>>(std::move(callback));
  std::lock_guard<std::mutex> lock(state_->callback_mutex);
  state_->on_shutdown.push_back(held);
  OnShutdownCallbackHandle handle;
  handle.callback = held;
  return handle;
}

bool Context::remove_on_shutdown_callback(const OnShutdownCallbackHandle & callback_handle)
{
  return removed(state_->callback_mutex, state_->on_shutdown, callback_handle.callback.lock());
}

PreShutdownCallbackHandle Context::add_pre_shutdown_callback(PreShutdownCallback callback)
{
  auto held = std::make_shared<std::function<void()>>(std::move(callback));
  std::lock_guard<std::mutex> lock(state_->callback_mutex);
  state_->pre_shutdown.push_back(held);
  PreShutdownCallbackHandle handle;
  handle.callback = held;
  return handle;
}

bool Context::remove_pre_shutdown_callback(const PreShutdownCallbackHandle & callback_handle)
{
  return removed(state_->callback_mutex, state_->pre_shutdown, callback_handle.callback.lock());
}

std::vector<Context::OnShutdownCallback> Context::get_on_shutdown_callbacks() const
{
  return functions(copied(state_->callback_mutex, state_->on_shutdown));
}

std::vector<Context::PreShutdownCallback> Context::get_pre_shutdown_callbacks() const
{
  return functions(copied(state_->callback_mutex, state_->pre_shutdown));
}

bool Context::sleep_for(const std::chrono::nanoseconds & nanoseconds)
{
  const auto end = std::chrono::steady_clock::now() + nanoseconds;
  std::unique_lock<std::mutex> lock(state_->sleep_mutex);
  const uint64_t interruptions = state_->interruptions;
  // A shutdown by anything but this class is noticed at the end of a slice.
  constexpr auto slice = std::chrono::milliseconds(100);
  while (is_valid() && state_->interruptions == interruptions && std::chrono::steady_clock::now() < end) {
    state_->interrupted.wait_until(lock, std::min(end, std::chrono::steady_clock::now() + slice));
  }
  return is_valid();
}

void Context::interrupt_all_sleep_for()
{
  std::lock_guard<std::mutex> lock(state_->sleep_mutex);
  state_->interruptions += 1;
  state_->interrupted.notify_all();
}

std::shared_ptr<void> Context::sub_context(
  std::type_index type, const std::function<std::shared_ptr<void>()> & make)
{
  std::lock_guard<std::recursive_mutex> lock(state_->sub_context_mutex);
  auto found = state_->sub_contexts.find(type);
  if (found == state_->sub_contexts.end()) {
    found = state_->sub_contexts.emplace(type, make()).first;
  }
  return found->second;
}

saltus_context_t * Context::get_saltus_context() const
{
  std::lock_guard<std::recursive_mutex> lock(state_->mutex);
  if (!state_->handle) {
    throw exceptions::RCLError(
            RCL_RET_NOT_INIT, "call rclcpp::init() before", "the given context is not valid, it is not initialized");
  }
  return state_->handle.get();
}

std::vector<std::string> Context::non_ros_arguments() const
{
  const saltus_context_t * handle = get_saltus_context();
  std::vector<std::string> arguments;
  for (size_t index = 0; index < saltus_context_argument_count(handle); ++index) {
    arguments.emplace_back(saltus_context_argument(handle, index));
  }
  return arguments;
}

void init_default_context(int argc, char const * const * argv, const InitOptions & options, unsigned signals)
{
  contexts::get_global_default_context()->init_with_signals(argc, argv, options, signals);
}

contexts::DefaultContext::SharedPtr contexts::get_global_default_context()
{
  // It is never destroyed: threads may use it while the static objects of a program are destroyed.
  static auto * context = new DefaultContext::SharedPtr(std::make_shared<DefaultContext>());
  return *context;
}

}  // namespace rclcpp
