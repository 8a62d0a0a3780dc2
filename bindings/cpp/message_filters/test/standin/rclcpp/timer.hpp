// A stand-in for rclcpp::TimerBase, for tests without rclcpp.
#ifndef RCLCPP_TIMER_HPP_
#define RCLCPP_TIMER_HPP_

#include <functional>
#include <memory>

namespace rclcpp
{

class TimerBase
{
public:
  using SharedPtr = std::shared_ptr<TimerBase>;

  explicit TimerBase(std::function<void ()> callback)
  : callback_(std::move(callback)) {}

  void cancel() {callback_ = nullptr;}

  void execute_callback()
  {
    if (const std::function<void ()> callback = callback_) {
      callback();
    }
  }

private:
  std::function<void ()> callback_;
};

}  // namespace rclcpp

#endif
