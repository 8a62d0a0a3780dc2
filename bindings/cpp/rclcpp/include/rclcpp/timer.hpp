#ifndef RCLCPP__TIMER_HPP_
#define RCLCPP__TIMER_HPP_

#include <chrono>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "rclcpp/callback_group.hpp"
#include "rclcpp/clock.hpp"
#include "rclcpp/context.hpp"
#include "rclcpp/detail/waited.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/time.hpp"
#include "rclcpp/visibility_control.hpp"

struct rcl_timer_s;
struct saltus_timer_t;

namespace rclcpp
{

/// When a call of a timer was due, and when it is made.
struct TimerInfo
{
  Time expected_call_time;
  Time actual_call_time;
};

/// A timer. The first call is one period after its start; periods that were missed are left out.
class RCLCPP_PUBLIC TimerBase : public std::enable_shared_from_this<TimerBase>
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(TimerBase)

  TimerBase(const TimerBase &) = delete;
  TimerBase & operator=(const TimerBase &) = delete;
  virtual ~TimerBase();

  /// Gives the timer to a node, and starts it. It is called once, by the function that creates it.
  void open(node_interfaces::NodeBaseInterface & node_base, const CallbackGroup::SharedPtr & group);
  /// Ends the timer. A callback that runs on another thread has returned when this returns.
  void close();

  void cancel();
  bool is_canceled();
  /// Restarts the period, also after cancel().
  void reset();
  /// Whether a call is due.
  bool is_ready();
  /// Returns the time until the next call, or the longest duration if the timer is canceled.
  std::chrono::nanoseconds time_until_trigger();
  /// Whether the clock never jumps.
  bool is_steady();
  /// Begins the next period if a call is due. Returns nothing if none is. It is for a program that calls execute_callback() itself.
  std::shared_ptr<void> call();
  /// Whether a wait set has the timer. Returns whether one had it before.
  bool exchange_in_use_by_wait_set_state(bool in_use_state) {return waited_->exchange(in_use_state);}
  /// Sets a function that is called when the timer is reset. It gets the number of resets since it was set, or before.
  /// \throws std::invalid_argument if the function is empty
  void set_on_reset_callback(std::function<void(size_t)> callback);
  void clear_on_reset_callback();
  /// Calls the callback.
  virtual void execute_callback(const std::shared_ptr<void> & data) = 0;
  void execute_callback() {execute_callback(nullptr);}

  Clock::SharedPtr get_clock() const {return clock_;}
  /// Returns the timer of libsaltus.
  saltus_timer_t * get_saltus_timer() const {return handle_;}
  std::shared_ptr<const rcl_timer_s> get_timer_handle();
  /// What a wait set needs of the timer.
  detail::Waited & waited() {return *waited_;}

protected:
  /// \throws std::invalid_argument if the period is negative
  TimerBase(Clock::SharedPtr clock, std::chrono::nanoseconds period, bool autostart);
  TimerInfo info() const;

private:
  friend struct TimerCalls;

  std::shared_ptr<saltus_node_t> node_;
  Clock::SharedPtr clock_;
  std::chrono::nanoseconds period_;
  bool autostart_;
  saltus_timer_t * handle_ = nullptr;
  std::unique_ptr<detail::Waited> waited_ = std::make_unique<detail::Waited>();
  struct State;
  std::shared_ptr<State> state_;
};

using VoidCallbackType = std::function<void ()>;
using TimerCallbackType = std::function<void (TimerBase &)>;
using TimerInfoCallbackType = std::function<void (const TimerInfo &)>;

/// A timer that calls a function: `void()`, `void(TimerBase &)` or `void(const TimerInfo &)`.
template<typename FunctorT>
class GenericTimer : public TimerBase
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(GenericTimer)

  /// The context is that of the node that gets the timer, whatever is given here.
  GenericTimer(
    Clock::SharedPtr clock, std::chrono::nanoseconds period, FunctorT && callback, const Context::SharedPtr & = nullptr,
    bool autostart = true)
  : TimerBase(std::move(clock), period, autostart), callback_(std::forward<FunctorT>(callback)) {}

  void execute_callback(const std::shared_ptr<void> &) override
  {
    using Callback = std::decay_t<FunctorT>;
    if constexpr (std::is_invocable_v<Callback &>) {
      callback_();
    } else if constexpr (std::is_invocable_v<Callback &, TimerBase &>) {
      callback_(static_cast<TimerBase &>(*this));
    } else {
      static_assert(
        std::is_invocable_v<Callback &, const TimerInfo &>,
        "a timer callback takes nothing, a TimerBase & or a const TimerInfo &");
      callback_(info());
    }
  }

private:
  std::decay_t<FunctorT> callback_;
};

/// A timer with a clock that never jumps.
template<typename FunctorT>
class WallTimer : public GenericTimer<FunctorT>
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(WallTimer)

  WallTimer(
    std::chrono::nanoseconds period, FunctorT && callback, const Context::SharedPtr & = nullptr, bool autostart = true)
  : GenericTimer<FunctorT>(
      std::make_shared<Clock>(RCL_STEADY_TIME), period, std::forward<FunctorT>(callback), nullptr, autostart) {}
};

}  // namespace rclcpp

#endif  // RCLCPP__TIMER_HPP_
