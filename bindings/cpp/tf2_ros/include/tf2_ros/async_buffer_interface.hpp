// Waits for transforms without blocking.
#ifndef TF2_ROS_ASYNC_BUFFER_INTERFACE_HPP_
#define TF2_ROS_ASYNC_BUFFER_INTERFACE_HPP_

#include <functional>
#include <future>
#include <string>
#include <utility>

#include "geometry_msgs/msg/transform_stamped.hpp"
#include "tf2/buffer_core.hpp"
#include "tf2/time.hpp"
#include "tf2_ros/visibility_control.hpp"

namespace tf2_ros
{

/// A transform that may come later, and the handle of its request.
class TransformStampedFuture : public std::shared_future<geometry_msgs::msg::TransformStamped>
{
  using BaseType = std::shared_future<geometry_msgs::msg::TransformStamped>;

public:
  TransformStampedFuture() noexcept = default;
  TransformStampedFuture(BaseType && future) noexcept  // NOLINT(runtime/explicit)
  : BaseType(std::move(future)) {}
  TransformStampedFuture(std::future<geometry_msgs::msg::TransformStamped> && future) noexcept  // NOLINT
  : BaseType(std::move(future)) {}

  void setHandle(const tf2::TransformableRequestHandle handle) {handle_ = handle;}
  tf2::TransformableRequestHandle getHandle() const {return handle_;}

private:
  tf2::TransformableRequestHandle handle_ = 0;
};

using TransformReadyCallback = std::function<void (const TransformStampedFuture &)>;

/// Waits for transforms without blocking.
class TF2_ROS_PUBLIC AsyncBufferInterface
{
public:
  virtual ~AsyncBufferInterface() = default;

  /// Returns a future of a transform. `callback` is called when the future is complete.
  virtual TransformStampedFuture waitForTransform(
    const std::string & target_frame, const std::string & source_frame, const tf2::TimePoint & time,
    const tf2::Duration & timeout, TransformReadyCallback callback) = 0;

  /// Forgets the request of a future: its callback is not called.
  virtual void cancel(const TransformStampedFuture & ts_future) = 0;
};

}  // namespace tf2_ros

#endif
