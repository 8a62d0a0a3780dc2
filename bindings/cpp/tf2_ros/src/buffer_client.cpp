#include "tf2_ros/buffer_client.hpp"

#include <chrono>
#include <future>

namespace tf2_ros
{
namespace
{

using Action = BufferClient::LookupTransformAction;
using Error = tf2_msgs::msg::TF2Error;

/// Returns the value of a future of the client.
template<typename Future>
auto valueOf(const Future & future, std::chrono::steady_clock::time_point end)
{
  if (future.wait_until(end) != std::future_status::ready) {
    throw tf2::TimeoutException(
            "The server of the buffer did not answer in time. Another thread must spin the node of the client.");
  }
  try {
    return future.get();
  } catch (const std::runtime_error & error) {
    throw tf2::ConnectivityException(error.what());
  }
}

const geometry_msgs::msg::TransformStamped & transformOf(const Action::Result & result)
{
  const std::string & text = result.error.error_string;
  switch (result.error.error) {
    case Error::NO_ERROR: return result.transform;
    case Error::LOOKUP_ERROR: throw tf2::LookupException(text);
    case Error::CONNECTIVITY_ERROR: throw tf2::ConnectivityException(text);
    case Error::EXTRAPOLATION_ERROR: throw tf2::ExtrapolationException(text);
    case Error::INVALID_ARGUMENT_ERROR: throw tf2::InvalidArgumentException(text);
    case Error::TIMEOUT_ERROR: throw tf2::TimeoutException(text);
    default: throw tf2::TransformException(text);
  }
}

}  // namespace

bool BufferClient::waitForServer(const tf2::Duration & timeout) const
{
  return client_->wait_for_action_server(timeout);
}

geometry_msgs::msg::TransformStamped BufferClient::process(const Action::Goal & goal, tf2::Duration timeout) const
{
  if (!client_->action_server_is_ready()) {
    throw tf2::ConnectivityException("Failed find available action server");
  }
  const auto end = std::chrono::steady_clock::now() + timeout + padding_;
  const auto handle = valueOf(client_->async_send_goal(goal), end);
  if (!handle) {
    throw GoalRejectedException("Goal rejected by action server");
  }
  const auto wrapped = valueOf(client_->async_get_result(handle), end);
  switch (wrapped.code) {
    case rclcpp_action::ResultCode::SUCCEEDED: return transformOf(*wrapped.result);
    case rclcpp_action::ResultCode::ABORTED: throw GoalAbortedException("LookupTransform action was aborted");
    case rclcpp_action::ResultCode::CANCELED: throw GoalCanceledException("LookupTransform action was canceled");
    default: throw UnexpectedResultCodeException("Unexpected result code returned from server");
  }
}

geometry_msgs::msg::TransformStamped BufferClient::lookupTransform(
  const std::string & target_frame, const std::string & source_frame, const tf2::TimePoint & time,
  const tf2::Duration timeout) const
{
  Action::Goal goal;
  goal.target_frame = target_frame;
  goal.source_frame = source_frame;
  goal.source_time = toMsg(time);
  goal.timeout = toMsg(timeout);
  goal.advanced = false;
  return process(goal, timeout);
}

geometry_msgs::msg::TransformStamped BufferClient::lookupTransform(
  const std::string & target_frame, const tf2::TimePoint & target_time, const std::string & source_frame,
  const tf2::TimePoint & source_time, const std::string & fixed_frame, const tf2::Duration timeout) const
{
  Action::Goal goal;
  goal.target_frame = target_frame;
  goal.source_frame = source_frame;
  goal.source_time = toMsg(source_time);
  goal.timeout = toMsg(timeout);
  goal.target_time = toMsg(target_time);
  goal.fixed_frame = fixed_frame;
  goal.advanced = true;
  return process(goal, timeout);
}

bool BufferClient::canTransform(
  const std::string & target_frame, const std::string & source_frame, const tf2::TimePoint & time,
  const tf2::Duration timeout, std::string * errstr) const
{
  try {
    lookupTransform(target_frame, source_frame, time, timeout);
    return true;
  } catch (const tf2::TransformException & error) {
    if (errstr != nullptr) {
      *errstr = error.what();
    }
    return false;
  }
}

bool BufferClient::canTransform(
  const std::string & target_frame, const tf2::TimePoint & target_time, const std::string & source_frame,
  const tf2::TimePoint & source_time, const std::string & fixed_frame, const tf2::Duration timeout,
  std::string * errstr) const
{
  try {
    lookupTransform(target_frame, target_time, source_frame, source_time, fixed_frame, timeout);
    return true;
  } catch (const tf2::TransformException & error) {
    if (errstr != nullptr) {
      *errstr = error.what();
    }
    return false;
  }
}

}  // namespace tf2_ros
