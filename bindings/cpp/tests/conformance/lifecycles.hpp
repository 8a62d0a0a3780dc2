// The lifecycle nodes of the subject.
#ifndef LIFECYCLES_HPP_
#define LIFECYCLES_HPP_

#include <mutex>
#include <stdexcept>
#include <string>

#include "known.hpp"
#include "outcome.hpp"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"
#include "std_msgs/msg/u_int64.hpp"

/// A node whose callbacks do what was planned.
class Planned : public rclcpp_lifecycle::LifecycleNode
{
public:
  using Number = std_msgs::msg::UInt64;
  using State = rclcpp_lifecycle::State;

  explicit Planned(const std::string & name)
  : LifecycleNode(name) {}

  CallbackReturn on_configure(const State & previous) override
  {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!numbers_) {
        numbers_ = create_publisher<Number>("~/numbers", 100);
      }
    }
    return call("on_configure", previous);
  }
  CallbackReturn on_cleanup(const State & previous) override {return call("on_cleanup", previous);}
  CallbackReturn on_activate(const State & previous) override
  {
    LifecycleNode::on_activate(previous);
    return call("on_activate", previous);
  }
  CallbackReturn on_deactivate(const State & previous) override
  {
    const auto result = call("on_deactivate", previous);
    if (result == CallbackReturn::SUCCESS) {
      LifecycleNode::on_deactivate(previous);
    }
    return result;
  }
  CallbackReturn on_shutdown(const State & previous) override {return call("on_shutdown", previous);}
  CallbackReturn on_error(const State & previous) override {return call("on_error", previous);}

  Plan & plan() {return plan_;}

  /// Publishes a number. Returns how many were dropped so far.
  std::string publish(uint64_t data)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!numbers_) {
      throw Refused("the node was never configured");
    }
    dropped_ += numbers_->is_activated() ? 0 : 1;
    Number number;
    number.data = data;
    numbers_->publish(number);
    return std::to_string(dropped_);
  }

private:
  CallbackReturn call(const std::string & callback, const State & previous)
  {
    const std::string outcome = plan_.call(callback, previous.label());
    if (outcome == "raise") {
      throw std::runtime_error("as planned");
    }
    return outcome == "failure" ? CallbackReturn::FAILURE :
           outcome == "error" ? CallbackReturn::ERROR : CallbackReturn::SUCCESS;
  }

  std::mutex mutex_;
  Plan plan_;
  uint64_t dropped_ = 0;
  rclcpp_lifecycle::LifecyclePublisher<Number>::SharedPtr numbers_;
};

#endif  // LIFECYCLES_HPP_
