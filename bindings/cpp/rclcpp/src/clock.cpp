#include "rclcpp/clock.hpp"

#include <condition_variable>
#include <algorithm>
#include <mutex>

#include "libsaltus.hpp"
#include "rclcpp/rate.hpp"
#include "rclcpp/utilities.hpp"

namespace rclcpp
{
namespace
{

/// How long a thread sleeps before it looks whether the context is still valid.
constexpr auto SLICE = std::chrono::milliseconds(100);

/// Notices the jumps of a clock, and lets a thread wait for them.
struct JumpWatch
{
  std::mutex mutex;
  std::condition_variable changed;
  bool has_switched = false;
};

void on_jump(void * context, uint8_t change, int64_t)
{
  auto & watch = *static_cast<JumpWatch *>(context);
  std::lock_guard<std::mutex> lock(watch.mutex);
  watch.has_switched = watch.has_switched || change != SALTUS_JUMP_SAME_SOURCE;
  watch.changed.notify_all();
}

using WatchHandle = std::shared_ptr<saltus_jump_callback_t>;

WatchHandle watch_jumps(const saltus_clock_t * clock, JumpWatch & watch)
{
  auto * callback = detail::created<saltus_jump_callback_t>(
    "could not watch a clock", [&](saltus_jump_callback_t ** place) {
      return saltus_clock_on_jump(clock, 1, 1, true, &on_jump, &watch, nullptr, place);
    });
  return detail::shared(callback, &saltus_jump_callback_destroy);
}

saltus_clock_t * new_clock(rcl_clock_type_t type)
{
  // Without a node there is no /clock, and ROS time is the time of the system.
  const uint8_t kind = type == RCL_STEADY_TIME ? SALTUS_CLOCK_STEADY : SALTUS_CLOCK_SYSTEM;
  return detail::created<saltus_clock_t>(
    "could not create a clock", [kind](saltus_clock_t ** place) {return saltus_clock_create(kind, place);});
}

/// The context of a jump callback.
struct JumpContext
{
  std::weak_ptr<JumpHandler> handler;
  WatchHandle watch;
};

void call_handler(void * context, uint8_t change, int64_t delta)
{
  const auto handler = static_cast<JumpContext *>(context)->handler.lock();
  if (!handler) {
    return;
  }
  rcl_time_jump_t jump{};
  jump.clock_change = change == SALTUS_JUMP_SIMULATED ? RCL_ROS_TIME_ACTIVATED :
    change == SALTUS_JUMP_NOT_SIMULATED ? RCL_ROS_TIME_DEACTIVATED : RCL_ROS_TIME_NO_CHANGE;
  jump.delta.nanoseconds = delta;
  try {
    if (handler->pre_callback) {
      handler->pre_callback();
    }
    if (handler->post_callback) {
      handler->post_callback(jump);
    }
  } catch (...) {
    detail::keep_exception();
  }
}

}  // namespace

Clock::Clock(rcl_clock_type_t clock_type)
: handle_(detail::shared(new_clock(clock_type), &saltus_clock_destroy)), type_(clock_type)
{
  if (clock_type == RCL_CLOCK_UNINITIALIZED) {
    throw exceptions::RCLInvalidArgument(RCL_RET_INVALID_ARGUMENT, "a clock needs a kind", "failed to initialize clock");
  }
}

Clock::Clock(std::shared_ptr<saltus_clock_t> handle, rcl_clock_type_t clock_type)
: handle_(std::move(handle)), type_(clock_type) {}

Clock::~Clock() = default;

Time Clock::now() const {return Time(saltus_clock_now(handle_.get()), type_);}

bool Clock::sleep_until(Time until, Context::SharedPtr context)
{
  if (!context || !context->is_valid()) {
    throw std::runtime_error("context cannot be slept with because it's invalid");
  }
  if (until.get_clock_type() != type_) {
    throw std::runtime_error("until's clock type does not match this clock's type");
  }
  JumpWatch watch;
  const WatchHandle handle = watch_jumps(handle_.get(), watch);
  std::unique_lock<std::mutex> lock(watch.mutex);
  while (context->is_valid() && !watch.has_switched) {
    const int64_t left = until.nanoseconds() - saltus_clock_now(handle_.get());
    if (left <= 0) {
      return true;
    }
    const bool is_simulated = saltus_clock_is_simulated(handle_.get());
    const auto wait = is_simulated ? std::chrono::nanoseconds(SLICE) :
      std::min<std::chrono::nanoseconds>(SLICE, std::chrono::nanoseconds(left));
    watch.changed.wait_for(lock, wait);
  }
  return false;
}

bool Clock::sleep_for(Duration rel_time, Context::SharedPtr context) {return sleep_until(now() + rel_time, context);}

bool Clock::started() {return now().nanoseconds() > 0;}

bool Clock::wait_until_started(Context::SharedPtr context)
{
  return wait_until_started(Duration::max(), context);
}

bool Clock::wait_until_started(const Duration & timeout, Context::SharedPtr context, const Duration & wait_tick_ns)
{
  const auto end = std::chrono::steady_clock::now() + timeout.to_chrono<std::chrono::nanoseconds>();
  while (!started() && context->is_valid() && std::chrono::steady_clock::now() < end) {
    context->sleep_for(wait_tick_ns.to_chrono<std::chrono::nanoseconds>());
  }
  return started();
}

bool Clock::ros_time_is_active()
{
  if (type_ != RCL_ROS_TIME) {
    throw exceptions::RCLError(RCL_RET_ERROR, "the clock has no ROS time", "Failed to check ros_time_override_status");
  }
  return saltus_clock_is_simulated(handle_.get());
}

JumpHandler::SharedPtr Clock::create_jump_callback(
  JumpHandler::pre_callback_t pre_callback, JumpHandler::post_callback_t post_callback,
  const rcl_jump_threshold_t & threshold)
{
  auto handler = std::make_shared<JumpHandler>(std::move(pre_callback), std::move(post_callback), threshold);
  auto context = std::make_shared<JumpContext>();
  context->handler = handler;
  const auto limit = [](int64_t nanoseconds) {return static_cast<uint64_t>(nanoseconds < 0 ? -nanoseconds : nanoseconds);};
  auto * callback = detail::created<saltus_jump_callback_t>(
    "could not watch a clock", [&](saltus_jump_callback_t ** place) {
      return saltus_clock_on_jump(
        handle_.get(), limit(threshold.min_forward.nanoseconds), limit(threshold.min_backward.nanoseconds),
        threshold.on_clock_change, &call_handler, context.get(), nullptr, place);
    });
  context->watch = detail::shared(callback, &saltus_jump_callback_destroy);
  JumpHandler * pointer = handler.get();
  // The end of the handler ends the callback first, and then what the callback uses.
  return JumpHandler::SharedPtr(pointer, [handler, context](JumpHandler *) mutable {
             context->watch.reset();
             handler.reset();
           });
}

Rate::Rate(double rate, Clock::SharedPtr clock)
: clock_(std::move(clock)), period_(Duration::from_seconds(1.0)), last_interval_(clock_->now())
{
  if (!(rate > 0.0)) {
    throw std::invalid_argument{"rate must be greater than 0"};
  }
  period_ = Duration::from_seconds(1.0 / rate);
}

Rate::Rate(const Duration & period, Clock::SharedPtr clock)
: clock_(std::move(clock)), period_(period), last_interval_(clock_->now())
{
  if (period <= Duration(0, 0)) {
    throw std::invalid_argument{"period must be greater than 0"};
  }
}

bool Rate::sleep()
{
  const Time now = clock_->now();
  Time next = last_interval_ + period_;
  if (now < last_interval_) {
    // The time was set back.
    next = now + period_;
  }
  last_interval_ += period_;
  if (next <= now) {
    if (now > next + period_) {
      last_interval_ = now + period_;
    }
    return false;
  }
  clock_->sleep_for(next - now);
  return true;
}

rcl_clock_type_t Rate::get_type() const {return clock_->get_clock_type();}

void Rate::reset() {last_interval_ = clock_->now();}

std::chrono::nanoseconds Rate::period() const {return period_.to_chrono<std::chrono::nanoseconds>();}

WallRate::WallRate(double rate)
: Rate(rate, std::make_shared<Clock>(RCL_STEADY_TIME)) {}

WallRate::WallRate(const Duration & period)
: Rate(period, std::make_shared<Clock>(RCL_STEADY_TIME)) {}

ROSRate::ROSRate(double rate)
: Rate(rate, std::make_shared<Clock>(RCL_ROS_TIME)) {}

ROSRate::ROSRate(const Duration & period)
: Rate(period, std::make_shared<Clock>(RCL_ROS_TIME)) {}

}  // namespace rclcpp
