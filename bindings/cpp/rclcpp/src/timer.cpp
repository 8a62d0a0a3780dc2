#include "rclcpp/timer.hpp"

#include "libsaltus.hpp"
#include "rcl/timer.h"

namespace rclcpp
{

/// What a timer has besides its handle.
struct TimerBase::State
{
  rcl_timer_t handle{};
  /// Whether a call was due while a wait set waited.
  std::atomic_bool is_due{false};
  std::mutex mutex;
  std::function<void(size_t)> on_reset;
  size_t resets = 0;
};

/// The functions that libsaltus calls.
struct TimerCalls
{
  using Weak = std::weak_ptr<TimerBase>;

  static saltus_next_t on_timer(void * context)
  {
    const auto timer = static_cast<Weak *>(context)->lock();
    if (!timer) {
      return SALTUS_CONTINUE;
    }
    if (timer->waited_->keeps()) {
      timer->state_->is_due = true;
      timer->waited_->notify();
      return SALTUS_CONTINUE;
    }
    return detail::guarded([&] {timer->execute_callback(nullptr);});
  }

  static void drop(void * context) {delete static_cast<Weak *>(context);}
};

TimerBase::TimerBase(Clock::SharedPtr clock, std::chrono::nanoseconds period, bool autostart)
: clock_(std::move(clock)), period_(period), autostart_(autostart), state_(std::make_shared<State>())
{
  if (period < std::chrono::nanoseconds::zero()) {
    throw std::invalid_argument{"timer period cannot be negative"};
  }
}

TimerBase::~TimerBase() {close();}

void TimerBase::open(node_interfaces::NodeBaseInterface & node_base, const CallbackGroup::SharedPtr & group)
{
  if (group && !node_base.callback_group_in_node(group)) {
    throw std::runtime_error("Cannot create timer, group not in node.");
  }
  node_ = node_base.get_shared_saltus_node();
  waited_ = std::make_unique<detail::Waited>(group ? group : node_base.get_default_callback_group());
  handle_ = detail::created<saltus_timer_t>(
    "Couldn't initialize rcl timer handle", [&](saltus_timer_t ** place) {
      return saltus_timer_create(
        node_.get(), period_.count(), clock_->get_saltus_clock(), group ? group->get_saltus_group() : nullptr,
        &TimerCalls::on_timer, new TimerCalls::Weak(weak_from_this()), &TimerCalls::drop, place);
    });
  state_->handle.impl = reinterpret_cast<rcl_timer_impl_t *>(handle_);
  if (!autostart_) {
    cancel();
  }
}

void TimerBase::close()
{
  saltus_timer_destroy(handle_);
  handle_ = nullptr;
}

void TimerBase::cancel()
{
  state_->is_due = false;
  if (handle_ == nullptr) {
    // No node has it yet.
    autostart_ = false;
    return;
  }
  detail::check(saltus_timer_cancel(handle_), "Couldn't cancel timer");
}

bool TimerBase::is_canceled() {return handle_ == nullptr ? !autostart_ : saltus_timer_is_canceled(handle_);}

void TimerBase::reset()
{
  state_->is_due = false;
  if (handle_ == nullptr) {
    autostart_ = true;
  } else {
    detail::check(saltus_timer_reset(handle_), "Couldn't reset timer");
  }
  std::lock_guard<std::mutex> lock(state_->mutex);
  if (state_->on_reset) {
    state_->on_reset(1);
  } else {
    state_->resets += 1;
  }
}

bool TimerBase::is_ready() {return state_->is_due || saltus_timer_is_ready(handle_);}

void TimerBase::set_on_reset_callback(std::function<void(size_t)> callback)
{
  if (!callback) {
    throw std::invalid_argument("The callback passed to set_on_reset_callback is not callable.");
  }
  std::lock_guard<std::mutex> lock(state_->mutex);
  state_->on_reset = std::move(callback);
  if (state_->resets > 0) {
    state_->on_reset(state_->resets);
    state_->resets = 0;
  }
}

void TimerBase::clear_on_reset_callback()
{
  std::lock_guard<std::mutex> lock(state_->mutex);
  state_->on_reset = nullptr;
}

std::shared_ptr<const rcl_timer_s> TimerBase::get_timer_handle()
{
  return std::shared_ptr<const rcl_timer_s>(shared_from_this(), &state_->handle);
}

std::chrono::nanoseconds TimerBase::time_until_trigger()
{
  const int64_t left = saltus_timer_time_until_call(handle_);
  return left < 0 ? std::chrono::nanoseconds::max() : std::chrono::nanoseconds(left);
}

bool TimerBase::is_steady() {return clock_->get_clock_type() == RCL_STEADY_TIME;}

std::shared_ptr<void> TimerBase::call()
{
  if (!state_->is_due.exchange(false)) {
    if (is_canceled() || !saltus_timer_is_ready(handle_)) {
      return nullptr;
    }
    detail::check(saltus_timer_reset(handle_), "Couldn't begin the next period");
  }
  return std::make_shared<int>(0);
}

TimerInfo TimerBase::info() const
{
  const Time now = clock_->now();
  const int64_t due = saltus_timer_last_due(handle_);
  return TimerInfo{due < 0 ? now : Time(due, clock_->get_clock_type()), now};
}

}  // namespace rclcpp
