#include "rclcpp/clock.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "clock_jumps.hpp"
#include "libsaltus.hpp"
#include "rcl/error_handling.h"
#include "rclcpp/rate.hpp"
#include "rclcpp/utilities.hpp"

namespace rclcpp
{
namespace
{

/// How long a thread sleeps before it looks whether the context is still valid.
constexpr auto SLICE = std::chrono::milliseconds(100);

std::shared_ptr<saltus_clock_t> new_clock(rcl_clock_type_t type)
{
  if (type == RCL_CLOCK_UNINITIALIZED) {
    throw exceptions::RCLInvalidArgument(RCL_RET_INVALID_ARGUMENT, "a clock needs a kind", "failed to initialize clock");
  }
  // Without a node there is no /clock, and ROS time is the time of the system.
  const uint8_t kind = type == RCL_STEADY_TIME ? SALTUS_CLOCK_STEADY : SALTUS_CLOCK_SYSTEM;
  auto * clock = detail::created<saltus_clock_t>(
    "could not create a clock", [kind](saltus_clock_t ** place) {return saltus_clock_create(kind, place);});
  return detail::shared(clock, &saltus_clock_destroy);
}

void check_rcl(rcl_ret_t ret, const char * what)
{
  if (ret != RCL_RET_OK) {
    exceptions::throw_from_rcl_error(ret, what);
  }
}

void check_context(const Context::SharedPtr & context)
{
  if (!context || !context->is_valid()) {
    throw std::runtime_error("context cannot be slept with because it's invalid");
  }
}

}  // namespace

/// A clock of libsaltus, and one of rcl. The one of rcl shows the simulated time of the one of libsaltus, if this is the clock
/// of a node. A program may set the clock of rcl, which is then the time of this clock.
class Clock::Impl
{
public:
  Impl(std::shared_ptr<saltus_clock_t> handle, rcl_clock_type_t type)
  : handle_(std::move(handle))
  {
    rcl_allocator_t allocator = rcl_get_default_allocator();
    check_rcl(rcl_clock_init(type, &rcl_clock_, &allocator), "failed to initialize clock");
    if (type == RCL_ROS_TIME) {
      const rcl_jump_threshold_t all{true, {1}, {-1}};
      check_rcl(rcl_clock_add_jump_callback(&rcl_clock_, all, &on_rcl_jump, this), "failed to initialize clock");
    }
  }

  ~Impl()
  {
    watch_.reset();
    if (rcl_clock_fini(&rcl_clock_) != RCL_RET_OK) {
      rcl_reset_error();
    }
  }

  /// Follows the simulated time of a node.
  void follow_node()
  {
    auto * callback = detail::created<saltus_jump_callback_t>(
      "could not watch a clock", [this](saltus_jump_callback_t ** place) {
        return saltus_clock_on_jump(handle_.get(), 1, 1, true, &on_saltus_jump, this, nullptr, place);
      });
    watch_ = detail::shared(callback, &saltus_jump_callback_destroy);
    show_simulated_time();
  }

  int64_t now()
  {
    // The time of libsaltus is newer than the copy of it in the clock of rcl.
    if (rcl_clock_.type != RCL_ROS_TIME || !is_set_by_program()) {
      return saltus_clock_now(handle_.get());
    }
    rcl_time_point_value_t time = 0;
    check_rcl(rcl_clock_get_now(&rcl_clock_, &time), "could not get current time stamp");
    return time;
  }

  /// Returns whether the clock of rcl shows simulated time.
  bool is_simulated()
  {
    bool is_enabled = false;
    check_rcl(
      rcl_is_enabled_ros_time_override(&rcl_clock_, &is_enabled), "Failed to check ros_time_override_status");
    return is_enabled;
  }

  rcl_clock_t * rcl_clock() {return &rcl_clock_;}
  std::mutex & mutex() {return mutex_;}
  saltus_clock_t * handle() const {return handle_.get();}
  detail::JumpHandlers & handlers() {return handlers_;}

  /// Sleeps until the time is `until`, until ROS time is switched on or off, or until cancel().
  bool sleep_until(int64_t until, const Context & context)
  {
    std::unique_lock<std::mutex> lock(wait_mutex_);
    const auto interruptions = interruptions_;
    ++sleepers_;
    bool is_reached = false;
    while (context.is_valid() && interruptions == interruptions_ && !cancels_next_) {
      const int64_t time = now();
      is_reached = time >= until;
      if (is_reached) {
        break;
      }
      std::chrono::nanoseconds wait = SLICE;
      // Simulated time tells when it goes on. The difference of two times that are not negative fits.
      if (rcl_clock_.type != RCL_ROS_TIME || !is_simulated()) {
        wait = std::min(wait, std::chrono::nanoseconds(until - std::max<int64_t>(time, 0)));
      }
      wake_.wait_for(lock, wait);
    }
    --sleepers_;
    cancels_next_ = false;
    return is_reached;
  }

  /// Ends sleep_until() on all threads, or the next one if there is none.
  void cancel()
  {
    std::lock_guard<std::mutex> lock(wait_mutex_);
    cancels_next_ = sleepers_ == 0;
    interrupt();
  }

private:
  static void on_saltus_jump(void * context, uint8_t, int64_t) {static_cast<Impl *>(context)->show_simulated_time();}

  static void on_rcl_jump(const rcl_time_jump_t * jump, bool before_jump, void * user_data)
  {
    auto & clock = *static_cast<Impl *>(user_data);
    clock.handlers_.call(*jump, before_jump);
    if (before_jump) {
      return;
    }
    std::lock_guard<std::mutex> lock(clock.wait_mutex_);
    if (jump->clock_change == RCL_ROS_TIME_NO_CHANGE) {
      clock.wake_.notify_all();
    } else {
      clock.interrupt();
    }
  }

  /// Ends sleep_until() on all threads. The caller holds wait_mutex_.
  void interrupt()
  {
    ++interruptions_;
    wake_.notify_all();
  }

  /// Returns whether the clock of rcl shows another time than show_simulated_time() has set.
  bool is_set_by_program()
  {
    if (!is_simulated()) {
      return is_following_;
    }
    rcl_time_point_value_t time = 0;
    check_rcl(rcl_clock_get_now(&rcl_clock_, &time), "could not get current time stamp");
    return !is_following_ || time != shown_;
  }

  /// Sets the clock of rcl to the time of libsaltus.
  void show_simulated_time()
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const bool simulates = saltus_clock_is_simulated(handle_.get());
    rcl_ret_t ret = RCL_RET_OK;
    if (simulates) {
      const int64_t time = saltus_clock_now(handle_.get());
      ret = rcl_set_ros_time_override(&rcl_clock_, time);
      shown_ = time;
    }
    if (ret == RCL_RET_OK) {
      ret = simulates ? rcl_enable_ros_time_override(&rcl_clock_) : rcl_disable_ros_time_override(&rcl_clock_);
    }
    // This comes last: until then, other threads see the time of the clock of rcl.
    is_following_ = simulates;
    if (ret != RCL_RET_OK) {
      rcl_reset_error();
    }
  }

  std::shared_ptr<saltus_clock_t> handle_;
  rcl_clock_t rcl_clock_{};
  std::mutex mutex_;
  detail::JumpHandlers handlers_;
  std::mutex wait_mutex_;
  std::condition_variable wake_;
  uint64_t interruptions_ = 0;
  uint64_t sleepers_ = 0;
  bool cancels_next_ = false;
  /// Whether the clock of rcl was set to follow the simulated time of a node, and the last time that it was set to.
  std::atomic<bool> is_following_{false};
  std::atomic<int64_t> shown_{0};
  std::shared_ptr<saltus_jump_callback_t> watch_;
};

Clock::Clock(rcl_clock_type_t clock_type)
: impl_(std::make_shared<Impl>(new_clock(clock_type), clock_type)) {}

Clock::Clock(std::shared_ptr<saltus_clock_t> handle, rcl_clock_type_t clock_type)
: impl_(std::make_shared<Impl>(std::move(handle), clock_type))
{
  impl_->follow_node();
}

Clock::~Clock() = default;

Time Clock::now() const {return Time(impl_->now(), get_clock_type());}

bool Clock::sleep_until(Time until, Context::SharedPtr context)
{
  check_context(context);
  if (until.get_clock_type() != get_clock_type()) {
    throw std::runtime_error("until's clock type does not match this clock's type");
  }
  return impl_->sleep_until(until.nanoseconds(), *context);
}

bool Clock::sleep_for(Duration rel_time, Context::SharedPtr context) {return sleep_until(now() + rel_time, context);}

bool Clock::started() {return impl_->now() > 0;}

bool Clock::wait_until_started(Context::SharedPtr context)
{
  check_context(context);
  return started() || impl_->sleep_until(1, *context);
}

bool Clock::wait_until_started(const Duration & timeout, Context::SharedPtr context, const Duration & wait_tick_ns)
{
  check_context(context);
  const auto end = std::chrono::steady_clock::now() + timeout.to_chrono<std::chrono::nanoseconds>();
  while (!started() && context->is_valid() && std::chrono::steady_clock::now() < end) {
    context->sleep_for(wait_tick_ns.to_chrono<std::chrono::nanoseconds>());
  }
  return started();
}

void Clock::cancel_sleep_or_wait() {impl_->cancel();}

bool Clock::ros_time_is_active()
{
  if (get_clock_type() != RCL_ROS_TIME) {
    throw exceptions::RCLError(RCL_RET_ERROR, "the clock has no ROS time", "Failed to check ros_time_override_status");
  }
  return impl_->is_simulated();
}

rcl_clock_t * Clock::get_clock_handle() noexcept {return impl_->rcl_clock();}

rcl_clock_type_t Clock::get_clock_type() const noexcept {return impl_->rcl_clock()->type;}

std::mutex & Clock::get_clock_mutex() noexcept {return impl_->mutex();}

saltus_clock_t * Clock::get_saltus_clock() const {return impl_->handle();}

JumpHandler::SharedPtr Clock::create_jump_callback(
  JumpHandler::pre_callback_t pre_callback, JumpHandler::post_callback_t post_callback,
  const rcl_jump_threshold_t & threshold)
{
  if (threshold.min_forward.nanoseconds < 0 || threshold.min_backward.nanoseconds > 0) {
    throw exceptions::RCLInvalidArgument(
            RCL_RET_INVALID_ARGUMENT, "expected a threshold that is at least 0 forward and at most 0 backward",
            "Failed to add time jump callback");
  }
  return impl_->handlers().add(JumpHandler(std::move(pre_callback), std::move(post_callback), threshold));
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
