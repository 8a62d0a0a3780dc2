// Creates the timers of a buffer in a node.
#ifndef TF2_ROS_CREATE_TIMER_ROS_HPP_
#define TF2_ROS_CREATE_TIMER_ROS_HPP_

#include <mutex>
#include <unordered_map>

#include "rclcpp/rclcpp.hpp"
#include "tf2_ros/create_timer_interface.hpp"
#include "tf2_ros/visibility_control.hpp"

namespace tf2_ros
{

/// Creates timers whose callbacks the executor of a node runs.
class TF2_ROS_PUBLIC CreateTimerROS : public CreateTimerInterface
{
public:
  CreateTimerROS(
    rclcpp::node_interfaces::NodeBaseInterface::SharedPtr node_base,
    rclcpp::node_interfaces::NodeTimersInterface::SharedPtr node_timers,
    rclcpp::CallbackGroup::SharedPtr callback_group = nullptr);
  ~CreateTimerROS() override;

  TimerHandle createTimer(
    rclcpp::Clock::SharedPtr clock, const tf2::Duration & period, TimerCallbackType callback) override;
  void cancel(const TimerHandle & timer_handle) override;
  void reset(const TimerHandle & timer_handle) override;
  /// Removes a timer. Its callback does not run afterwards, unless this callback itself removes it.
  void remove(const TimerHandle & timer_handle) override;

private:
  rclcpp::TimerBase::SharedPtr find(const TimerHandle & timer_handle);

  rclcpp::node_interfaces::NodeBaseInterface::SharedPtr node_base_;
  rclcpp::node_interfaces::NodeTimersInterface::SharedPtr node_timers_;
  rclcpp::CallbackGroup::SharedPtr callback_group_;
  std::mutex mutex_;
  TimerHandle next_handle_ = 0;
  std::unordered_map<TimerHandle, rclcpp::TimerBase::SharedPtr> timers_;
};

}  // namespace tf2_ros

#endif
