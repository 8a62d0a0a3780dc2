// A buffer of transforms.
#ifndef TF2_BUFFER_CORE_HPP_
#define TF2_BUFFER_CORE_HPP_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "geometry_msgs/msg/transform_stamped.hpp"
#include "geometry_msgs/msg/velocity_stamped.hpp"
#include "tf2/LinearMath/Transform.hpp"
#include "tf2/LinearMath/Vector3.hpp"
#include "tf2/buffer_core_interface.hpp"
#include "tf2/exceptions.hpp"
#include "tf2/time.hpp"
#include "tf2/transform_storage.hpp"
#include "tf2/visibility_control.hpp"

struct saltus_tf_buffer_t;

namespace tf2
{

typedef std::pair<TimePoint, CompactFrameID> P_TimeAndFrameID;
typedef std::uint64_t TransformableRequestHandle;

/// The end of a request for a transform.
enum TransformableResult
{
  TransformAvailable,
  TransformFailure
};

/// How long a buffer keeps transforms.
constexpr tf2::Duration BUFFER_CORE_DEFAULT_CACHE_TIME = std::chrono::seconds(10);

/// Keeps the transforms between frames over time. All functions may be called from several threads.
class TF2_PUBLIC_TYPE BufferCore : public BufferCoreInterface
{
public:
  /// Tells the end of a request for a transform.
  using TransformableCallback = std::function<
    void (TransformableRequestHandle request_handle, const std::string & target_frame,
    const std::string & source_frame, TimePoint time, TransformableResult result)>;

  /// The longest chain of frames up to the root.
  static constexpr std::uint32_t MAX_GRAPH_DEPTH = 1000U;

  /// Makes an empty buffer that keeps transforms for `cache_time`.
  explicit BufferCore(tf2::Duration cache_time = BUFFER_CORE_DEFAULT_CACHE_TIME);
  ~BufferCore() override;
  BufferCore(const BufferCore &) = delete;
  BufferCore & operator=(const BufferCore &) = delete;

  void clear() override;

  /// Adds a transform; returns false if it can't be used. Static transforms hold for all times.
  ///
  /// It can't be used if it is not valid, too old, or if the frame has another parent. The reason is logged once per frame.
  bool setTransform(
    const geometry_msgs::msg::TransformStamped & transform, const std::string & authority, bool is_static = false);

  geometry_msgs::msg::TransformStamped lookupTransform(
    const std::string & target_frame, const std::string & source_frame, const TimePoint & time) const override;

  geometry_msgs::msg::TransformStamped lookupTransform(
    const std::string & target_frame, const TimePoint & target_time, const std::string & source_frame,
    const TimePoint & source_time, const std::string & fixed_frame) const override;

  /// Returns the mean velocity of `tracking_frame` seen from `observation_frame` around a time, in m/s and rad/s.
  ///
  /// The linear velocity is that of the point of the body at the origin of `observation_frame`, as in ROS 2; without a
  /// rotation all points have the same. TimePointZero is the latest time. Throws a TransformException.
  geometry_msgs::msg::VelocityStamped lookupVelocity(
    const std::string & tracking_frame, const std::string & observation_frame, const TimePoint & time,
    const tf2::Duration & averaging_interval) const;

  /// Returns the velocity in the axes of `reference_frame`. The linear velocity is that of the point of the body at the
  /// origin of `reference_frame`, moved by the way from the origin of `tracking_frame` to the reference point.
  geometry_msgs::msg::VelocityStamped lookupVelocity(
    const std::string & tracking_frame, const std::string & observation_frame, const std::string & reference_frame,
    const tf2::Vector3 & reference_point, const std::string & reference_point_frame, const TimePoint & time,
    const tf2::Duration & duration) const;

  bool canTransform(
    const std::string & target_frame, const std::string & source_frame, const TimePoint & time,
    std::string * error_msg = nullptr) const override;

  bool canTransform(
    const std::string & target_frame, const TimePoint & target_time, const std::string & source_frame,
    const TimePoint & source_time, const std::string & fixed_frame,
    std::string * error_msg = nullptr) const override;

  std::vector<std::string> getAllFrameNames() const override;

  /// Returns a YAML map of all frames with parent, broadcaster, rate and times; the time is for the age.
  std::string allFramesAsYAML(TimePoint current_time) const;
  std::string allFramesAsYAML() const;

  /// Returns a line per frame with its parent.
  std::string allFramesAsString() const;

  /// Calls `cb` once when the transform is known or can't be known any more.
  ///
  /// Returns 0 if it is known now, or the largest handle if it can't be known; `cb` is not called then. The thread calls
  /// it that adds the last missing transform; what it throws leaves setTransform.
  TransformableRequestHandle addTransformableRequest(
    const TransformableCallback & cb, const std::string & target_frame, const std::string & source_frame,
    TimePoint time);

  /// Forgets a request. Its callback is not called, unless it has begun already.
  void cancelTransformableRequest(TransformableRequestHandle handle);

  /// Tells that another thread adds transforms, so that a lookup may wait for them.
  void setUsingDedicatedThread(bool value);
  bool isUsingDedicatedThread() const;

  /// Returns how long transforms are kept.
  tf2::Duration getCacheLength() const;

  /// Returns true if the frame exists.
  bool _frameExists(const std::string & frame_id_str) const;

  /// Gets the parent of a frame at a time; returns false if there is none.
  bool _getParent(const std::string & frame_id, TimePoint time, std::string & parent) const;

  /// Gets the names of all frames.
  void _getFrameStrings(std::vector<std::string> & ids) const;

  /// Returns the number of a frame, or 0.
  CompactFrameID _lookupFrameNumber(const std::string & frameid_str) const;

  /// Returns the number of a frame, which is made if it does not exist.
  CompactFrameID _lookupOrInsertFrameNumber(const std::string & frameid_str);

  /// Gets the latest time at which the transform between two frames is known.
  tf2::TF2Error _getLatestCommonTime(
    CompactFrameID target_frame, CompactFrameID source_frame, TimePoint & time, std::string * error_string) const;

  /// Returns the number of a frame. Throws InvalidArgumentException for a wrong name, LookupException if unknown.
  CompactFrameID _validateFrameId(const char * function_name_arg, const std::string & frame_id) const;

  /// Returns all frames as a graph of Graphviz; the time is for the age.
  std::string _allFramesAsDot(TimePoint current_time) const;
  std::string _allFramesAsDot() const;

  /// Gets the frames on the way from the source over the fixed frame to the target.
  void _chainAsVector(
    const std::string & target_frame, TimePoint target_time, const std::string & source_frame, TimePoint source_time,
    const std::string & fixed_frame, std::vector<std::string> & output) const;

  /// Returns the buffer of libsaltus.
  saltus_tf_buffer_t * get_saltus_buffer() const;

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tf2

#endif
