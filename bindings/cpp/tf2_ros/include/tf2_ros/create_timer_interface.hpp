// Creates the timers of a buffer.
#ifndef TF2_ROS_CREATE_TIMER_INTERFACE_HPP_
#define TF2_ROS_CREATE_TIMER_INTERFACE_HPP_

#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "rclcpp/rclcpp.hpp"
#include "tf2/time.hpp"
#include "tf2_ros/visibility_control.hpp"

namespace tf2_ros
{

using TimerHandle = std::uint64_t;
using TimerCallbackType = std::function<void (const TimerHandle &)>;

/// A timer can't be created.
class TF2_ROS_PUBLIC CreateTimerInterfaceException : public std::runtime_error
{
public:
  explicit CreateTimerInterfaceException(const std::string & description)
  : std::runtime_error(description) {}
};

/// A handle is not that of a timer.
class TF2_ROS_PUBLIC InvalidTimerHandleException : public std::runtime_error
{
public:
  explicit InvalidTimerHandleException(const std::string & description)
  : std::runtime_error(description) {}
};

/// Creates timers. The functions with a handle throw InvalidTimerHandleException.
class TF2_ROS_PUBLIC CreateTimerInterface
{
public:
  using SharedPtr = std::shared_ptr<CreateTimerInterface>;
  using ConstSharedPtr = std::shared_ptr<const CreateTimerInterface>;
  using UniquePtr = std::unique_ptr<CreateTimerInterface>;

  virtual ~CreateTimerInterface() = default;

  /// Creates a timer that calls `callback` with its handle. Throws CreateTimerInterfaceException.
  virtual TimerHandle createTimer(
    rclcpp::Clock::SharedPtr clock, const tf2::Duration & period, TimerCallbackType callback) = 0;

  /// Stops a timer.
  virtual void cancel(const TimerHandle & timer_handle) = 0;

  /// Starts a timer again.
  virtual void reset(const TimerHandle & timer_handle) = 0;

  /// Removes a timer.
  virtual void remove(const TimerHandle & timer_handle) = 0;
};

}  // namespace tf2_ros

#endif
