// Lifecycles of nodes.
#ifndef SALTUS__LIFECYCLE_HPP_
#define SALTUS__LIFECYCLE_HPP_

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "saltus/context.hpp"

namespace saltus
{

/// The states of a node between transitions: numbers of lifecycle_msgs/msg/State.
enum class LifecycleState : uint8_t
{
  unknown = 0,
  unconfigured = 1,
  inactive = 2,
  active = 3,
  finalized = 4,
};

/// Returns the label of a state, such as "inactive". It is valid for ever.
inline const char * label(LifecycleState state) {return saltus_lifecycle_state_label(static_cast<uint8_t>(state));}

/// The transitions that a program can request: numbers of lifecycle_msgs/msg/Transition.
enum class Transition : uint8_t
{
  configure = 1,
  cleanup = 2,
  activate = 3,
  deactivate = 4,
  unconfigured_shutdown = 5,
  inactive_shutdown = 6,
  active_shutdown = 7,
};

/// How the callback of a transition has ended.
enum class CallbackReturn : uint8_t
{
  /// It has done what it should.
  success = SALTUS_CALLBACK_SUCCESS,
  /// It has not done it, and the node stays in its state.
  failure = SALTUS_CALLBACK_FAILURE,
  /// It has left the node in an unknown state: `on_error` is called.
  error = SALTUS_CALLBACK_ERROR,
};

/// The callbacks of a lifecycle, which get the state before the transition. One that is not set succeeds, but `on_error`, which
/// fails.
struct LifecycleCallbacks
{
  using Callback = std::function<CallbackReturn(LifecycleState previous)>;

  Callback on_configure;
  Callback on_activate;
  Callback on_deactivate;
  Callback on_cleanup;
  Callback on_shutdown;
  Callback on_error;
};

/// The lifecycle of a node, which others manage with its services. It ends when it is destroyed.
class Lifecycle
{
public:
  static Result<Lifecycle> create(const Node & node, LifecycleCallbacks callbacks)
  {
    auto handle = detail::created<Handle>(
      [&](saltus_lifecycle_t ** place) {
        return saltus_lifecycle_create(
          node.get(), true, &run, detail::owned(std::move(callbacks)), &detail::drop<LifecycleCallbacks>, place);
      });
    return handle ? Result<Lifecycle>(Lifecycle(std::move(*handle))) : Result<Lifecycle>(handle.failure());
  }

  LifecycleState state() const {return static_cast<LifecycleState>(saltus_lifecycle_state(handle_.get()));}
  /// Executes a transition, and returns how its callback has ended. Fails if it is not possible now.
  Result<CallbackReturn> change_state(Transition transition) const
  {
    saltus_callback_number_t result = SALTUS_CALLBACK_SUCCESS;
    const Status status(
      saltus_lifecycle_change_state(handle_.get(), static_cast<uint8_t>(transition), &result));
    return status ? Result<CallbackReturn>(static_cast<CallbackReturn>(result)) : Result<CallbackReturn>(status);
  }

private:
  using Handle = detail::Handle<saltus_lifecycle_t, &saltus_lifecycle_destroy>;

  /// The states in which callbacks run.
  enum : uint8_t
  {
    CONFIGURING = 10,
    CLEANING_UP = 11,
    SHUTTING_DOWN = 12,
    ACTIVATING = 13,
    DEACTIVATING = 14,
    ERROR_PROCESSING = 15,
  };

  static saltus_callback_number_t run(void * context, uint8_t state, uint8_t previous) noexcept
  {
    const auto & callbacks = *static_cast<LifecycleCallbacks *>(context);
    const auto & callback = callback_of(callbacks, state);
    if (!callback) {
      return state == ERROR_PROCESSING ? SALTUS_CALLBACK_FAILURE : SALTUS_CALLBACK_SUCCESS;
    }
    return static_cast<saltus_callback_number_t>(callback(static_cast<LifecycleState>(previous)));
  }

  static const LifecycleCallbacks::Callback & callback_of(const LifecycleCallbacks & callbacks, uint8_t state)
  {
    switch (state) {
      case CONFIGURING:
        return callbacks.on_configure;
      case CLEANING_UP:
        return callbacks.on_cleanup;
      case SHUTTING_DOWN:
        return callbacks.on_shutdown;
      case ACTIVATING:
        return callbacks.on_activate;
      case DEACTIVATING:
        return callbacks.on_deactivate;
      default:
        return callbacks.on_error;
    }
  }

  explicit Lifecycle(Handle handle)
  : handle_(std::move(handle)) {}

  Handle handle_;
};

}  // namespace saltus

#endif  // SALTUS__LIFECYCLE_HPP_
