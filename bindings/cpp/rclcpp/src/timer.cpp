#include "rclcpp/timer.hpp"

#include "libsaltus.hpp"

namespace rclcpp
{

/// The functions that libsaltus calls.
struct TimerCalls
{
  using Weak = std::weak_ptr<TimerBase>;

  static saltus_next_t on_timer(void * context)
  {
    const auto timer = static_cast<Weak *>(context)->lock();
    return timer ? detail::guarded([&] {timer->execute_callback(nullptr);}) : SALTUS_CONTINUE;
  }

  static void drop(void * context) {delete static_cast<Weak *>(context);}
};

TimerBase::TimerBase(Clock::SharedPtr clock, std::chrono::nanoseconds period)
: clock_(std::move(clock)), period_(period)
{
  if (period < std::chrono::nanoseconds::zero()) {
    throw std::invalid_argument{"timer period cannot be negative"};
  }
}

TimerBase::~TimerBase() {close();}

void TimerBase::open(
  node_interfaces::NodeBaseInterface & node_base, const CallbackGroup::SharedPtr & group, bool autostart)
{
  node_ = node_base.get_shared_saltus_node();
  handle_ = detail::created<saltus_timer_t>(
    "Couldn't initialize rcl timer handle", [&](saltus_timer_t ** place) {
      return saltus_timer_create(
        node_.get(), period_.count(), clock_->get_saltus_clock(), group ? group->get_saltus_group() : nullptr,
        &TimerCalls::on_timer, new TimerCalls::Weak(weak_from_this()), &TimerCalls::drop, place);
    });
  if (!autostart) {
    cancel();
  }
}

void TimerBase::close()
{
  saltus_timer_destroy(handle_);
  handle_ = nullptr;
}

void TimerBase::cancel() {detail::check(saltus_timer_cancel(handle_), "Couldn't cancel timer");}

bool TimerBase::is_canceled() {return saltus_timer_is_canceled(handle_);}

void TimerBase::reset() {detail::check(saltus_timer_reset(handle_), "Couldn't reset timer");}

bool TimerBase::is_ready() {return saltus_timer_is_ready(handle_);}

std::chrono::nanoseconds TimerBase::time_until_trigger()
{
  const int64_t left = saltus_timer_time_until_call(handle_);
  return left < 0 ? std::chrono::nanoseconds::max() : std::chrono::nanoseconds(left);
}

bool TimerBase::is_steady() {return clock_->get_clock_type() == RCL_STEADY_TIME;}

std::shared_ptr<void> TimerBase::call()
{
  return is_ready() ? std::static_pointer_cast<void>(std::make_shared<int>(0)) : nullptr;
}

TimerInfo TimerBase::info() const
{
  const Time now = clock_->now();
  const int64_t due = saltus_timer_last_due(handle_);
  return TimerInfo{due < 0 ? now : Time(due, clock_->get_clock_type()), now};
}

}  // namespace rclcpp
