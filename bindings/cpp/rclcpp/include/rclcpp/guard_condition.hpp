#ifndef RCLCPP__GUARD_CONDITION_HPP_
#define RCLCPP__GUARD_CONDITION_HPP_

#include <functional>
#include <memory>

#include "rcl/guard_condition.h"
#include "rclcpp/context.hpp"
#include "rclcpp/contexts/default_context.hpp"
#include "rclcpp/detail/waited.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/visibility_control.hpp"

struct rcl_wait_set_s;

namespace rclcpp
{
namespace detail
{

/// What a guard condition consists of. `impl` of rcl_guard_condition_t points to it.
class RCLCPP_PUBLIC GuardState
{
public:
  static GuardState & of(const rcl_guard_condition_t & guard_condition)
  {
    return *reinterpret_cast<GuardState *>(guard_condition.impl);
  }

  void trigger();
  bool is_triggered() const {return is_triggered_;}
  /// Whether it was triggered since the last call.
  bool take() {return is_triggered_.exchange(false);}
  void set_on_trigger(std::function<void(size_t)> callback);
  /// Sets a function that is called at each trigger, besides that of the program.
  void set_listener(std::function<void()> listener);

  Waited waited;

private:
  std::atomic_bool is_triggered_{false};
  std::recursive_mutex mutex_;
  std::function<void(size_t)> on_trigger_;
  std::function<void()> listener_;
  size_t unread_ = 0;
};

}  // namespace detail

/// A condition that any thread can trigger. It wakes the wait set that has it.
class RCLCPP_PUBLIC GuardCondition
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(GuardCondition)

  /// \throws std::invalid_argument if there is no context; rclcpp::exceptions::RCLError if it is not valid
  explicit GuardCondition(
    const rclcpp::Context::SharedPtr & context = rclcpp::contexts::get_global_default_context(),
    rcl_guard_condition_options_t guard_condition_options = rcl_guard_condition_get_default_options());
  GuardCondition(const GuardCondition &) = delete;
  GuardCondition & operator=(const GuardCondition &) = delete;
  virtual ~GuardCondition() = default;

  rcl_guard_condition_t & get_rcl_guard_condition() {return handle_;}
  const rcl_guard_condition_t & get_rcl_guard_condition() const {return handle_;}

  void trigger() {state_.trigger();}
  /// Sets whether a wait set has it. Returns whether one had it before.
  bool exchange_in_use_by_wait_set_state(bool in_use_state) {return state_.waited.exchange(in_use_state);}
  /// Adds it to a wait set of rcl, as a Waitable does.
  void add_to_wait_set(rcl_wait_set_s & wait_set);
  /// Sets a function that is called at each trigger, or removes it. It gets the number of triggers: 1, or that of the ones before
  /// it was set.
  void set_on_trigger_callback(std::function<void(size_t)> callback) {state_.set_on_trigger(std::move(callback));}

private:
  detail::GuardState state_;
  rcl_guard_condition_t handle_;
};

}  // namespace rclcpp

#endif  // RCLCPP__GUARD_CONDITION_HPP_
