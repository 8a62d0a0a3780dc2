// The velocities of frames.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "buffer_core_impl.hpp"
#include "tf2/LinearMath/Quaternion.hpp"
#include "tf2/LinearMath/Transform.hpp"

namespace tf2
{

namespace
{

Transform lookup(
  const BufferCore & buffer, const std::string & target, const std::string & source, const TimePoint & time)
{
  const auto message = buffer.lookupTransform(target, source, time);
  const auto & [translation, rotation] = message.transform;
  return Transform(
    Quaternion(rotation.x, rotation.y, rotation.z, rotation.w),
    Vector3(translation.x, translation.y, translation.z));
}

/// The times between which a frame moves.
struct Interval
{
  TimePoint start;
  TimePoint end;

  double seconds() const {return durationToSec(end - start);}
  TimePoint middle() const {return start + (end - start) / 2;}
};

/// A velocity and an angular velocity.
struct Twist
{
  Vector3 linear;
  Vector3 angular;
};

/// Returns the mean velocity of the origin of a frame between two times.
Twist meanTwist(const Transform & start, const Transform & end, double seconds)
{
  // The turn in the axes of the frame in which both are given.
  auto turn = end.getRotation() * start.getRotation().inverse();
  if (turn.w() < 0) {
    turn = turn * -1.0;
  }
  const Vector3 axis(turn.x(), turn.y(), turn.z());
  const double sine = axis.length();
  // The sine of a small half angle is the half angle.
  const double scale = sine < 1e-12 ? 2.0 : 2.0 * std::atan2(sine, turn.w()) / sine;
  return {(end.getOrigin() - start.getOrigin()) / seconds, axis * (scale / seconds)};
}

}  // namespace

geometry_msgs::msg::VelocityStamped BufferCore::lookupVelocity(
  const std::string & tracking_frame, const std::string & observation_frame, const TimePoint & time,
  const tf2::Duration & averaging_interval) const
{
  return lookupVelocity(
    tracking_frame, observation_frame, observation_frame, Vector3(0, 0, 0), tracking_frame, time, averaging_interval);
}

geometry_msgs::msg::VelocityStamped BufferCore::lookupVelocity(
  const std::string & tracking_frame, const std::string & observation_frame, const std::string & reference_frame,
  const tf2::Vector3 & reference_point, const std::string & reference_point_frame, const TimePoint & time,
  const tf2::Duration & duration) const
{
  if (duration <= tf2::Duration::zero()) {
    throw InvalidArgumentException("lookupVelocity argument averaging_interval must be positive");
  }
  std::int64_t latest = 0;
  throwUnlessOk(
    saltus_tf_buffer_latest_common_time(
      impl_->buffer.get(), observation_frame.c_str(), tracking_frame.c_str(), &latest));
  const TimePoint newest{tf2::Duration(latest)};
  const TimePoint at = time == TimePointZero ? newest : time;
  // 0 is the time of frames that never move.
  const TimePoint end = latest == 0 ? at + duration / 2 : std::min(at + duration / 2, newest);
  const Interval interval{end - duration, end};
  const Twist seen = meanTwist(
    lookup(*this, observation_frame, tracking_frame, interval.start),
    lookup(*this, observation_frame, tracking_frame, interval.end), interval.seconds());

  const auto axes = lookup(*this, reference_frame, observation_frame, at).getBasis();
  const Vector3 angular = axes * seen.angular;
  const Vector3 origin = lookup(*this, reference_frame, tracking_frame, at).getOrigin();
  const Vector3 point = lookup(*this, reference_frame, reference_point_frame, at) * reference_point;
  // As in ROS 2: that of the point of the body at the origin of the reference frame, moved by the reference point.
  const Vector3 linear = axes * seen.linear - angular.cross(origin) + angular.cross(point - origin);

  geometry_msgs::msg::VelocityStamped velocity;
  const auto stamp = toNanoseconds(interval.middle());
  velocity.header.stamp.sec = static_cast<std::int32_t>(stamp / 1000000000);
  velocity.header.stamp.nanosec = static_cast<std::uint32_t>(stamp % 1000000000);
  velocity.header.frame_id = reference_frame;
  velocity.body_frame_id = tracking_frame;
  velocity.velocity.linear.x = linear.x();
  velocity.velocity.linear.y = linear.y();
  velocity.velocity.linear.z = linear.z();
  velocity.velocity.angular.x = angular.x();
  velocity.velocity.angular.y = angular.y();
  velocity.velocity.angular.z = angular.z();
  return velocity;
}

}  // namespace tf2
