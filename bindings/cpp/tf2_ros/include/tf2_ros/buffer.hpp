// A buffer of transforms for nodes.
#ifndef TF2_ROS_BUFFER_HPP_
#define TF2_ROS_BUFFER_HPP_

#include <functional>
#include <memory>
#include <string>
#include <type_traits>

#include "geometry_msgs/msg/transform_stamped.hpp"
#include "rclcpp/rclcpp.hpp"
#include "tf2/buffer_core.hpp"
#include "tf2/time.hpp"
#include "tf2_ros/async_buffer_interface.hpp"
#include "tf2_ros/buffer_interface.hpp"
#include "tf2_ros/create_timer_interface.hpp"
#include "tf2_ros/visibility_control.hpp"

namespace tf2_ros
{

/// Keeps transforms, and waits for those that come later.
///
/// Who waits with a timeout is woken by the transform; another thread must receive it: see setUsingDedicatedThread().
/// Timeouts are durations of the clock. A jump of the clock back removes all transforms that are not static.
class TF2_ROS_PUBLIC Buffer : public BufferInterface, public AsyncBufferInterface, public tf2::BufferCore
{
public:
  using tf2::BufferCore::canTransform;
  using tf2::BufferCore::lookupTransform;
  using SharedPtr = std::shared_ptr<Buffer>;

  /// Makes an empty buffer. With a node it offers the service tf2_frames. Throws std::invalid_argument for a null clock.
  template<typename NodeT = rclcpp::Node::SharedPtr>
  Buffer(
    rclcpp::Clock::SharedPtr clock, tf2::Duration cache_time = tf2::BUFFER_CORE_DEFAULT_CACHE_TIME,
    NodeT && node = NodeT(), const rclcpp::QoS & qos = rclcpp::ServicesQoS())
  : Buffer(Core{}, clock, cache_time)
  {
    namespace interfaces = rclcpp::node_interfaces;
    if constexpr (std::is_constructible_v<bool, NodeT>) {
      if (!node) {
        return;
      }
    }
    serve(
      interfaces::get_node_base_interface(node), interfaces::get_node_services_interface(node),
      interfaces::get_node_logging_interface(node), qos);
  }
  ~Buffer() override;

  geometry_msgs::msg::TransformStamped lookupTransform(
    const std::string & target_frame, const std::string & source_frame, const tf2::TimePoint & time,
    const tf2::Duration timeout) const override;

  geometry_msgs::msg::TransformStamped lookupTransform(
    const std::string & target_frame, const std::string & source_frame, const rclcpp::Time & time,
    const rclcpp::Duration timeout = rclcpp::Duration::from_nanoseconds(0)) const
  {
    return lookupTransform(target_frame, source_frame, fromRclcpp(time), fromRclcpp(timeout));
  }

  geometry_msgs::msg::TransformStamped lookupTransform(
    const std::string & target_frame, const tf2::TimePoint & target_time, const std::string & source_frame,
    const tf2::TimePoint & source_time, const std::string & fixed_frame, const tf2::Duration timeout) const override;

  geometry_msgs::msg::TransformStamped lookupTransform(
    const std::string & target_frame, const rclcpp::Time & target_time, const std::string & source_frame,
    const rclcpp::Time & source_time, const std::string & fixed_frame,
    const rclcpp::Duration timeout = rclcpp::Duration::from_nanoseconds(0)) const
  {
    return lookupTransform(
      target_frame, fromRclcpp(target_time), source_frame, fromRclcpp(source_time), fixed_frame, fromRclcpp(timeout));
  }

  bool canTransform(
    const std::string & target_frame, const std::string & source_frame, const tf2::TimePoint & target_time,
    const tf2::Duration timeout, std::string * errstr = nullptr) const override;

  bool canTransform(
    const std::string & target_frame, const std::string & source_frame, const rclcpp::Time & time,
    const rclcpp::Duration timeout = rclcpp::Duration::from_nanoseconds(0), std::string * errstr = nullptr) const
  {
    return canTransform(target_frame, source_frame, fromRclcpp(time), fromRclcpp(timeout), errstr);
  }

  bool canTransform(
    const std::string & target_frame, const tf2::TimePoint & target_time, const std::string & source_frame,
    const tf2::TimePoint & source_time, const std::string & fixed_frame, const tf2::Duration timeout,
    std::string * errstr = nullptr) const override;

  bool canTransform(
    const std::string & target_frame, const rclcpp::Time & target_time, const std::string & source_frame,
    const rclcpp::Time & source_time, const std::string & fixed_frame,
    const rclcpp::Duration timeout = rclcpp::Duration::from_nanoseconds(0), std::string * errstr = nullptr) const
  {
    return canTransform(
      target_frame, fromRclcpp(target_time), source_frame, fromRclcpp(source_time), fixed_frame, fromRclcpp(timeout),
      errstr);
  }

  /// Returns a future of a transform. It throws tf2::LookupException if the transform can never be known, and
  /// tf2::TimeoutException after the timeout. Throws CreateTimerInterfaceException without setCreateTimerInterface().
  TransformStampedFuture waitForTransform(
    const std::string & target_frame, const std::string & source_frame, const tf2::TimePoint & time,
    const tf2::Duration & timeout, TransformReadyCallback callback) override;

  TransformStampedFuture waitForTransform(
    const std::string & target_frame, const std::string & source_frame, const rclcpp::Time & time,
    const rclcpp::Duration & timeout, TransformReadyCallback callback)
  {
    return waitForTransform(target_frame, source_frame, fromRclcpp(time), fromRclcpp(timeout), callback);
  }

  /// Forgets the request of a future. Its callback is not called, unless it has begun already.
  void cancel(const TransformStampedFuture & ts_future) override;

  /// Sets what creates the timers for the timeouts of waitForTransform().
  void setCreateTimerInterface(CreateTimerInterface::SharedPtr create_timer_interface);

private:
  struct Core {};
  class Waits;
  using Check = std::function<bool (std::string *)>;

  Buffer(Core, rclcpp::Clock::SharedPtr clock, tf2::Duration cache_time);
  void serve(
    rclcpp::node_interfaces::NodeBaseInterface::SharedPtr node_base,
    rclcpp::node_interfaces::NodeServicesInterface::SharedPtr node_services,
    rclcpp::node_interfaces::NodeLoggingInterface::SharedPtr node_logging, const rclcpp::QoS & qos);
  bool checkWithTimeout(
    const Check & check, const std::function<int (std::int64_t)> & wait, const tf2::Duration & timeout,
    std::string * errstr) const;
  void wait(
    const std::function<int (std::int64_t)> & wait, const rclcpp::Time & start, const rclcpp::Duration & timeout) const;
  bool checkDedicatedThread(std::string * errstr) const;
  void onTimeJump(const rcl_time_jump_t & jump);
  rclcpp::Logger logger() const;

  rclcpp::Clock::SharedPtr clock_;
  rclcpp::node_interfaces::NodeLoggingInterface::SharedPtr node_logging_;
  std::shared_ptr<Waits> waits_;
  std::shared_ptr<void> frames_server_;
  rclcpp::JumpHandler::SharedPtr jump_handler_;
};

[[maybe_unused]] static const char threading_error[] =
  "Do not call canTransform or lookupTransform with a timeout unless you are using another thread for populating data. "
  "Without a dedicated thread it will always timeout.  If you have a separate thread servicing tf messages, call "
  "setUsingDedicatedThread(true) on your Buffer instance.";

}  // namespace tf2_ros

#endif
