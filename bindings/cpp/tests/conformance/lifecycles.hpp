// The lifecycle nodes of the subject. Commands of the suite create them, and plan what their callbacks do.
#ifndef LIFECYCLES_HPP_
#define LIFECYCLES_HPP_

#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

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

  void plan(const std::string & callback, const std::string & outcome)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    outcomes_[callback] = outcome;
  }

  std::string take_calls()
  {
    std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(calls_, "");
  }

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
    std::string outcome;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      calls_ += (calls_.empty() ? "" : " ") + callback + ":" + previous.label();
      outcome = std::exchange(outcomes_[callback], "");
    }
    if (outcome == "raise") {
      throw std::runtime_error("as planned");
    }
    return outcome == "failure" ? CallbackReturn::FAILURE :
           outcome == "error" ? CallbackReturn::ERROR : CallbackReturn::SUCCESS;
  }

  std::mutex mutex_;
  std::map<std::string, std::string> outcomes_;
  std::string calls_;
  uint64_t dropped_ = 0;
  rclcpp_lifecycle::LifecyclePublisher<Number>::SharedPtr numbers_;
};

class Lifecycles
{
public:
  explicit Lifecycles(rclcpp::Executor & executor)
  : executor_(executor) {}

  static bool has(const std::string & command)
  {
    return command == "lifecycle" || command == "plan" || command == "callbacks" || command == "publish_managed";
  }

  std::string run(const Words & words)
  {
    if (words.at(0) == "lifecycle") {
      auto node = std::make_shared<Planned>(words.at(1));
      executor_.add_node(node->get_node_base_interface());
      nodes_[words.at(1)] = node;
      return "";
    }
    const auto found = nodes_.find(words.at(1));
    if (found == nodes_.end()) {
      throw Refused("no lifecycle node " + words.at(1));
    }
    Planned & node = *found->second;
    if (words.at(0) == "callbacks") {
      return node.take_calls();
    }
    if (words.at(0) == "publish_managed") {
      return node.publish(std::stoull(words.at(2)));
    }
    node.plan(words.at(2), words.at(3));
    return "";
  }

private:
  rclcpp::Executor & executor_;
  std::map<std::string, std::shared_ptr<Planned>> nodes_;
};

#endif  // LIFECYCLES_HPP_
