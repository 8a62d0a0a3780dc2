// A buffer of another process.
#ifndef TF2_ROS_BUFFER_CLIENT_HPP_
#define TF2_ROS_BUFFER_CLIENT_HPP_

#include <string>

#include "rclcpp_action/client.hpp"
#include "rclcpp_action/create_client.hpp"
#include "tf2/exceptions.hpp"
#include "tf2/time.hpp"
#include "tf2_msgs/action/lookup_transform.hpp"
#include "tf2_ros/buffer_interface.hpp"
#include "tf2_ros/visibility_control.hpp"

namespace tf2_ros
{

/// The server has not reached the goal.
class LookupTransformGoalException : public tf2::TransformException
{
public:
  explicit LookupTransformGoalException(const std::string & message)
  : tf2::TransformException(message) {}
};

class GoalRejectedException : public LookupTransformGoalException
{
public:
  explicit GoalRejectedException(const std::string & message)
  : LookupTransformGoalException(message) {}
};

class GoalAbortedException : public LookupTransformGoalException
{
public:
  explicit GoalAbortedException(const std::string & message)
  : LookupTransformGoalException(message) {}
};

class GoalCanceledException : public LookupTransformGoalException
{
public:
  explicit GoalCanceledException(const std::string & message)
  : LookupTransformGoalException(message) {}
};

class UnexpectedResultCodeException : public LookupTransformGoalException
{
public:
  explicit UnexpectedResultCodeException(const std::string & message)
  : LookupTransformGoalException(message) {}
};

/// Looks up transforms in the buffer of a BufferServer. Another thread must spin the node.
class TF2_ROS_PUBLIC BufferClient : public BufferInterface
{
public:
  using LookupTransformAction = tf2_msgs::action::LookupTransform;

  /// `ns` is the name of the action. The server has `timeout_padding` more than the timeout of a lookup to answer. The frequency
  /// has no effect: nothing is polled.
  template<typename NodePtr>
  BufferClient(
    NodePtr node, const std::string & ns, const double & = 10.0,
    const tf2::Duration & timeout_padding = tf2::durationFromSec(2.0))
  : client_(rclcpp_action::create_client<LookupTransformAction>(node, ns)), padding_(timeout_padding) {}

  /// Throws a tf2::TransformException: that of the server's buffer, a tf2::ConnectivityException without a server, a
  /// tf2::TimeoutException, or a LookupTransformGoalException.
  geometry_msgs::msg::TransformStamped lookupTransform(
    const std::string & target_frame, const std::string & source_frame, const tf2::TimePoint & time,
    const tf2::Duration timeout = tf2::durationFromSec(0.0)) const override;
  geometry_msgs::msg::TransformStamped lookupTransform(
    const std::string & target_frame, const tf2::TimePoint & target_time, const std::string & source_frame,
    const tf2::TimePoint & source_time, const std::string & fixed_frame,
    const tf2::Duration timeout = tf2::durationFromSec(0.0)) const override;

  bool canTransform(
    const std::string & target_frame, const std::string & source_frame, const tf2::TimePoint & time,
    const tf2::Duration timeout = tf2::durationFromSec(0.0), std::string * errstr = nullptr) const override;
  bool canTransform(
    const std::string & target_frame, const tf2::TimePoint & target_time, const std::string & source_frame,
    const tf2::TimePoint & source_time, const std::string & fixed_frame,
    const tf2::Duration timeout = tf2::durationFromSec(0.0), std::string * errstr = nullptr) const override;

  /// Waits until there is a server. A timeout of 0 does not wait.
  bool waitForServer(const tf2::Duration & timeout = tf2::durationFromSec(0)) const;

private:
  using Client = rclcpp_action::Client<LookupTransformAction>;

  geometry_msgs::msg::TransformStamped process(const LookupTransformAction::Goal & goal, tf2::Duration timeout) const;

  Client::SharedPtr client_;
  tf2::Duration padding_;
};

}  // namespace tf2_ros

#endif
