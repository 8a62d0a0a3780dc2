// What a buffer of transforms does.
#ifndef TF2_BUFFER_CORE_INTERFACE_HPP_
#define TF2_BUFFER_CORE_INTERFACE_HPP_

#include <string>
#include <vector>

#include "geometry_msgs/msg/transform_stamped.hpp"
#include "tf2/time.hpp"
#include "tf2/visibility_control.hpp"

namespace tf2
{

/// Looks up transforms by names of frames. TimePointZero is the latest time.
class TF2_PUBLIC_TYPE BufferCoreInterface
{
public:
  virtual ~BufferCoreInterface() = default;

  /// Removes all transforms.
  virtual void clear() = 0;

  /// Returns the transform that takes data from `source_frame` to `target_frame`. Throws a TransformException.
  virtual geometry_msgs::msg::TransformStamped lookupTransform(
    const std::string & target_frame, const std::string & source_frame, const tf2::TimePoint & time) const = 0;

  /// Returns the transform from the source at one time to the target at another, over a frame that does not move.
  virtual geometry_msgs::msg::TransformStamped lookupTransform(
    const std::string & target_frame, const tf2::TimePoint & target_time, const std::string & source_frame,
    const tf2::TimePoint & source_time, const std::string & fixed_frame) const = 0;

  /// Returns true if lookupTransform would return; else `error_msg`, if it is not null, gets the reason.
  virtual bool canTransform(
    const std::string & target_frame, const std::string & source_frame, const tf2::TimePoint & time,
    std::string * error_msg) const = 0;

  /// As canTransform, for the second form of lookupTransform.
  virtual bool canTransform(
    const std::string & target_frame, const tf2::TimePoint & target_time, const std::string & source_frame,
    const tf2::TimePoint & source_time, const std::string & fixed_frame, std::string * error_msg) const = 0;

  /// Returns the names of all frames.
  virtual std::vector<std::string> getAllFrameNames() const = 0;
};

}  // namespace tf2

#endif
