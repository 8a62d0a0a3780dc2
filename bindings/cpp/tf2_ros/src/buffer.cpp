#include "tf2_ros/buffer.hpp"

#include <algorithm>
#include <exception>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "saltus/saltus.h"
#include "tf2_msgs/srv/frame_graph.hpp"
#include "waits.hpp"

namespace tf2_ros
{

namespace
{

using Transform = geometry_msgs::msg::TransformStamped;
using tf2::TransformableRequestHandle;

// How long a thread waits before it looks at the clock and at the context. A transform wakes it at once.
constexpr std::int64_t SLICE = 10000000;
// So many nanoseconds back end a wait: the time has begun again.
constexpr std::int64_t JUMP = 3000000000;

std::int64_t nanoseconds(const tf2::TimePoint & time)
{
  return time.time_since_epoch().count();
}

std::exception_ptr neverKnown(const std::string & target, const std::string & source)
{
  return std::make_exception_ptr(tf2::LookupException("Failed to transform from " + source + " to " + target));
}

}  // namespace

Buffer::Buffer(Core, rclcpp::Clock::SharedPtr clock, tf2::Duration cache_time)
: tf2::BufferCore(cache_time), clock_(std::move(clock)), waits_(std::make_shared<Waits>())
{
  if (!clock_) {
    throw std::invalid_argument("clock must be a valid instance");
  }
  rcl_jump_threshold_t threshold{};
  threshold.min_forward.nanoseconds = 0;
  threshold.min_backward.nanoseconds = -1;
  threshold.on_clock_change = true;
  jump_handler_ = clock_->create_jump_callback(
    nullptr, [this](const rcl_time_jump_t & jump) {onTimeJump(jump);}, threshold);
}

Buffer::~Buffer()
{
  jump_handler_.reset();
  frames_server_.reset();
  for (const auto & [handle, wait] : waits_->takeAll()) {
    cancelTransformableRequest(handle);
    wait->cancel();
  }
  // Timers may keep callbacks, and these the waits.
  waits_->setTimers(nullptr);
}

void Buffer::serve(
  rclcpp::node_interfaces::NodeBaseInterface::SharedPtr node_base,
  rclcpp::node_interfaces::NodeServicesInterface::SharedPtr node_services,
  rclcpp::node_interfaces::NodeLoggingInterface::SharedPtr node_logging, const rclcpp::QoS & qos)
{
  using FrameGraph = tf2_msgs::srv::FrameGraph;
  node_logging_ = std::move(node_logging);
  frames_server_ = rclcpp::create_service<FrameGraph>(
    node_base, node_services, "tf2_frames",
    [this](const FrameGraph::Request::SharedPtr, FrameGraph::Response::SharedPtr response) {
      response->frame_yaml = allFramesAsYAML();
    }, qos);
}

void Buffer::onTimeJump(const rcl_time_jump_t & jump)
{
  if (jump.clock_change == RCL_ROS_TIME_ACTIVATED || jump.clock_change == RCL_ROS_TIME_DEACTIVATED) {
    RCLCPP_WARN(logger(), "Detected time source change. Clearing TF buffer.");
    clear();
  } else if (jump.delta.nanoseconds < 0) {
    RCLCPP_WARN(logger(), "Detected jump back in time. Clearing TF buffer.");
    clear();
  }
}

Transform Buffer::lookupTransform(
  const std::string & target_frame, const std::string & source_frame, const tf2::TimePoint & time,
  const tf2::Duration timeout) const
{
  // The text is not needed: the lookup throws it.
  canTransform(target_frame, source_frame, time, timeout);
  return lookupTransform(target_frame, source_frame, time);
}

Transform Buffer::lookupTransform(
  const std::string & target_frame, const tf2::TimePoint & target_time, const std::string & source_frame,
  const tf2::TimePoint & source_time, const std::string & fixed_frame, const tf2::Duration timeout) const
{
  canTransform(target_frame, target_time, source_frame, source_time, fixed_frame, timeout);
  return lookupTransform(target_frame, target_time, source_frame, source_time, fixed_frame);
}

bool Buffer::canTransform(
  const std::string & target_frame, const std::string & source_frame, const tf2::TimePoint & time,
  const tf2::Duration timeout, std::string * errstr) const
{
  const auto wait = [&](std::int64_t limit) {
      return saltus_tf_buffer_wait(
        get_saltus_buffer(), target_frame.c_str(), source_frame.c_str(), nanoseconds(time), limit, nullptr);
    };
  const auto check = [&](std::string * error) {return canTransform(target_frame, source_frame, time, error);};
  return checkWithTimeout(check, wait, timeout, errstr);
}

bool Buffer::canTransform(
  const std::string & target_frame, const tf2::TimePoint & target_time, const std::string & source_frame,
  const tf2::TimePoint & source_time, const std::string & fixed_frame, const tf2::Duration timeout,
  std::string * errstr) const
{
  const auto wait = [&](std::int64_t limit) {
      const auto status = saltus_tf_buffer_wait(
        get_saltus_buffer(), fixed_frame.c_str(), source_frame.c_str(), nanoseconds(source_time), limit, nullptr);
      return status != SALTUS_OK ? status : saltus_tf_buffer_wait(
        get_saltus_buffer(), target_frame.c_str(), fixed_frame.c_str(), nanoseconds(target_time), limit, nullptr);
    };
  const auto check = [&](std::string * error) {
      return canTransform(target_frame, target_time, source_frame, source_time, fixed_frame, error);
    };
  return checkWithTimeout(check, wait, timeout, errstr);
}

bool Buffer::checkWithTimeout(
  const Check & check, const std::function<int (std::int64_t)> & wait_for, const tf2::Duration & timeout,
  std::string * errstr) const
{
  if (timeout != tf2::Duration::zero() && !checkDedicatedThread(errstr)) {
    return false;
  }
  if (check(errstr)) {
    return true;
  }
  const auto start = clock_->now();
  if (timeout > tf2::Duration::zero()) {
    wait(wait_for, start, rclcpp::Duration(timeout));
  }
  std::string error;
  if (check(&error)) {
    return true;
  }
  if (errstr != nullptr) {
    std::ostringstream text;
    text << error << ". canTransform returned after " << (clock_->now() - start).seconds() << " timeout was " <<
      tf2::durationToSec(timeout) << ".";
    *errstr = text.str();
  }
  return false;
}

void Buffer::wait(
  const std::function<int (std::int64_t)> & wait_for, const rclcpp::Time & start,
  const rclcpp::Duration & timeout) const
{
  const bool is_simulated = clock_->get_clock_type() == RCL_ROS_TIME && clock_->ros_time_is_active();
  while (rclcpp::ok()) {
    const auto passed = (clock_->now() - start).nanoseconds();
    const auto left = timeout.nanoseconds() - passed;
    if (left <= 0 || passed < -JUMP) {
      return;
    }
    // Simulated time may be faster.
    if (wait_for(is_simulated ? SLICE : std::min(left, SLICE)) != SALTUS_TIMEOUT) {
      return;
    }
  }
}

bool Buffer::checkDedicatedThread(std::string * errstr) const
{
  if (isUsingDedicatedThread()) {
    return true;
  }
  if (errstr != nullptr) {
    *errstr = threading_error;
  }
  RCLCPP_ERROR(logger(), "%s", threading_error);
  return false;
}

TransformStampedFuture Buffer::waitForTransform(
  const std::string & target_frame, const std::string & source_frame, const tf2::TimePoint & time,
  const tf2::Duration & timeout, TransformReadyCallback callback)
{
  const auto timers = waits_->timers();
  if (!timers) {
    throw CreateTimerInterfaceException("timer interface not set before call to waitForTransform");
  }
  const auto wait = std::make_shared<Wait>(std::move(callback));
  const auto finish = [this, wait, target_frame, source_frame, time](bool is_known) {
      Transform found;
      try {
        if (!is_known) {
          std::rethrow_exception(neverKnown(target_frame, source_frame));
        }
        found = lookupTransform(target_frame, source_frame, time);
      } catch (...) {
        return wait->fail(std::current_exception());
      }
      wait->complete(found);
    };
  const auto answer = [waits = waits_, wait, finish](
    TransformableRequestHandle handle, const std::string &, const std::string &, tf2::TimePoint,
    tf2::TransformableResult result) {
      const Waits::Removal removal(*waits, handle);
      wait->setHandle(handle);
      finish(result == tf2::TransformAvailable);
    };
  const auto handle = addTransformableRequest(answer, target_frame, source_frame, time);
  wait->setHandle(handle);
  if (handle == 0 || handle == ~TransformableRequestHandle{0}) {
    finish(handle == 0);
    return wait->future();
  }
  waits_->add(handle, wait);
  // The longest timeout is none.
  if (timeout != tf2::Duration::max()) {
    const auto expired = [this, waits = waits_, wait, handle](const TimerHandle &) {
        const Waits::Removal removal(*waits, handle);
        cancelTransformableRequest(handle);
        wait->fail(std::make_exception_ptr(tf2::TimeoutException("Timed out waiting for transform")));
      };
    wait->setTimer(timers, timers->createTimer(clock_, timeout, expired));
  }
  return wait->future();
}

void Buffer::cancel(const TransformStampedFuture & ts_future)
{
  cancelTransformableRequest(ts_future.getHandle());
  if (const auto wait = waits_->take(ts_future.getHandle())) {
    wait->cancel();
  }
}

void Buffer::setCreateTimerInterface(CreateTimerInterface::SharedPtr create_timer_interface)
{
  waits_->setTimers(std::move(create_timer_interface));
}

rclcpp::Logger Buffer::logger() const
{
  return node_logging_ ? node_logging_->get_logger() : rclcpp::get_logger("tf2_buffer");
}

}  // namespace tf2_ros
