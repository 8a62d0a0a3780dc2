// A transform in a cache.
#ifndef TF2_TRANSFORM_STORAGE_HPP_
#define TF2_TRANSFORM_STORAGE_HPP_

#include <cstdint>

#include "tf2/LinearMath/Quaternion.hpp"
#include "tf2/LinearMath/Vector3.hpp"
#include "tf2/time.hpp"
#include "tf2/visibility_control.hpp"

namespace tf2
{

/// The number of a frame; 0 is none.
typedef std::uint32_t CompactFrameID;

/// The transform of a child frame in its parent at a time.
class TransformStorage
{
public:
  TF2_PUBLIC TransformStorage();

  TF2_PUBLIC TransformStorage(
    const TimePoint & stamp, const Quaternion & q, const Vector3 & t, CompactFrameID frame_id,
    CompactFrameID child_frame_id);

  bool operator==(const TransformStorage & rhs) const
  {
    return rotation_ == rhs.rotation_ && translation_ == rhs.translation_ && stamp_ == rhs.stamp_ &&
           frame_id_ == rhs.frame_id_ && child_frame_id_ == rhs.child_frame_id_;
  }
  bool operator!=(const TransformStorage & rhs) const {return !(*this == rhs);}

  tf2::Quaternion rotation_;
  tf2::Vector3 translation_;
  TimePoint stamp_;
  CompactFrameID frame_id_;
  CompactFrameID child_frame_id_;
};

}  // namespace tf2

#endif
