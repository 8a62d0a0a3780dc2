#include "tf2_ros/buffer_server.hpp"

#include "tf2/exceptions.hpp"
#include "tf2_ros/buffer_interface.hpp"

namespace tf2_ros
{
namespace
{

using Action = BufferServer::LookupTransformAction;
using Error = tf2_msgs::msg::TF2Error;

geometry_msgs::msg::TransformStamped lookup(const tf2::BufferCoreInterface & buffer, const Action::Goal & goal)
{
  if (!goal.advanced) {
    return buffer.lookupTransform(goal.target_frame, goal.source_frame, fromMsg(goal.source_time));
  }
  return buffer.lookupTransform(
    goal.target_frame, fromMsg(goal.target_time), goal.source_frame, fromMsg(goal.source_time), goal.fixed_frame);
}

bool isKnown(const tf2::BufferCoreInterface & buffer, const Action::Goal & goal)
{
  if (!goal.advanced) {
    return buffer.canTransform(goal.target_frame, goal.source_frame, fromMsg(goal.source_time), nullptr);
  }
  return buffer.canTransform(
    goal.target_frame, fromMsg(goal.target_time), goal.source_frame, fromMsg(goal.source_time), goal.fixed_frame, nullptr);
}

/// Returns the transform, or the reason why there is none.
Action::Result resultOf(const tf2::BufferCoreInterface & buffer, const Action::Goal & goal)
{
  Action::Result result;
  const auto fail = [&result](uint8_t number, const tf2::TransformException & error) {
      result.error.error = number;
      result.error.error_string = error.what();
    };
  try {
    result.transform = lookup(buffer, goal);
  } catch (const tf2::ConnectivityException & error) {
    fail(Error::CONNECTIVITY_ERROR, error);
  } catch (const tf2::LookupException & error) {
    fail(Error::LOOKUP_ERROR, error);
  } catch (const tf2::ExtrapolationException & error) {
    fail(Error::EXTRAPOLATION_ERROR, error);
  } catch (const tf2::InvalidArgumentException & error) {
    fail(Error::INVALID_ARGUMENT_ERROR, error);
  } catch (const tf2::TimeoutException & error) {
    fail(Error::TIMEOUT_ERROR, error);
  } catch (const tf2::TransformException & error) {
    fail(Error::TRANSFORM_ERROR, error);
  }
  return result;
}

}  // namespace

bool BufferServer::answer(const GoalHandle & goal, bool may_wait) const
{
  if (may_wait && !isKnown(buffer_, *goal->get_goal())) {
    return false;
  }
  goal->succeed(std::make_shared<Action::Result>(resultOf(buffer_, *goal->get_goal())));
  return true;
}

void BufferServer::accept(const GoalHandle & goal)
{
  const tf2::Duration timeout = fromMsg(goal->get_goal()->timeout);
  if (answer(goal, timeout > tf2::Duration::zero())) {
    return;
  }
  std::lock_guard<std::mutex> lock(mutex_);
  waiting_.push_back({goal, tf2::get_now() + timeout});
  timer_->reset();
}

void BufferServer::check()
{
  std::lock_guard<std::mutex> lock(mutex_);
  const tf2::TimePoint now = tf2::get_now();
  waiting_.remove_if([&](const Waiting & waiting) {return answer(waiting.goal, now < waiting.end);});
  if (waiting_.empty()) {
    timer_->cancel();
  }
}

rclcpp_action::CancelResponse BufferServer::cancel(const GoalHandle & goal)
{
  std::lock_guard<std::mutex> lock(mutex_);
  // A goal whose handle is dropped while it is canceled ends as canceled.
  waiting_.remove_if([&](const Waiting & waiting) {return waiting.goal == goal;});
  return rclcpp_action::CancelResponse::ACCEPT;
}

}  // namespace tf2_ros
