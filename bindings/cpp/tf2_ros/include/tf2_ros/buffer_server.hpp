// A buffer that other processes use.
#ifndef TF2_ROS_BUFFER_SERVER_HPP_
#define TF2_ROS_BUFFER_SERVER_HPP_

#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "rclcpp/create_timer.hpp"
#include "rclcpp_action/create_server.hpp"
#include "rclcpp_action/server.hpp"
#include "tf2/buffer_core_interface.hpp"
#include "tf2/time.hpp"
#include "tf2_msgs/action/lookup_transform.hpp"
#include "tf2_ros/visibility_control.hpp"

namespace tf2_ros
{

/// Looks up transforms for BufferClients. The buffer must live longer than the server.
class TF2_ROS_PUBLIC BufferServer
{
public:
  using LookupTransformAction = tf2_msgs::action::LookupTransform;
  using GoalHandle = std::shared_ptr<rclcpp_action::ServerGoalHandle<LookupTransformAction>>;

  /// `ns` is the name of the action. While goals wait, the buffer is asked with `check_period`.
  template<typename NodePtr>
  BufferServer(
    const tf2::BufferCoreInterface & buffer, NodePtr node, const std::string & ns,
    const tf2::Duration & check_period = tf2::durationFromSec(0.01))
  : buffer_(buffer)
  {
    server_ = rclcpp_action::create_server<LookupTransformAction>(
      node, ns,
      [](const rclcpp_action::GoalUUID &, std::shared_ptr<const LookupTransformAction::Goal>) {
        return rclcpp_action::GoalResponse::ACCEPT_AND_EXECUTE;
      },
      [this](GoalHandle goal) {return cancel(goal);}, [this](GoalHandle goal) {accept(goal);});
    timer_ = rclcpp::create_timer(
      node, node->get_node_clock_interface()->get_clock(), rclcpp::Duration(check_period), [this] {check();});
    timer_->cancel();
  }
  BufferServer(const BufferServer &) = delete;
  BufferServer & operator=(const BufferServer &) = delete;

private:
  struct Waiting
  {
    GoalHandle goal;
    tf2::TimePoint end;
  };

  rclcpp_action::CancelResponse cancel(const GoalHandle & goal);
  void accept(const GoalHandle & goal);
  void check();
  /// Answers a goal if that is possible, or if it may not wait any more. Returns whether it has.
  bool answer(const GoalHandle & goal, bool may_wait) const;

  const tf2::BufferCoreInterface & buffer_;
  std::mutex mutex_;
  std::list<Waiting> waiting_;
  rclcpp_action::Server<LookupTransformAction>::SharedPtr server_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace tf2_ros

#endif
