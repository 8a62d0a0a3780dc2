// A node with an action that computes Fibonacci numbers.
#ifndef FIBONACCI_SERVER_HPP_
#define FIBONACCI_SERVER_HPP_

#include <chrono>
#include <cstdint>
#include <list>
#include <memory>

#include "example_interfaces/action/fibonacci.hpp"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_action/rclcpp_action.hpp"

/// Serves "fibonacci". Goals can be cancelled.
class FibonacciServer : public rclcpp::Node
{
public:
  using Fibonacci = example_interfaces::action::Fibonacci;

  FibonacciServer()
  : Node("@name@")
  {
    server_ = rclcpp_action::create_server<Fibonacci>(
      this, "fibonacci",
      [](const rclcpp_action::GoalUUID &, std::shared_ptr<const Fibonacci::Goal> goal) {
        // Later numbers do not fit into 32 bits.
        const bool valid = goal->order >= 0 && goal->order <= 46;
        return valid ? rclcpp_action::GoalResponse::ACCEPT_AND_EXECUTE : rclcpp_action::GoalResponse::REJECT;
      },
      [](std::shared_ptr<GoalHandle>) {return rclcpp_action::CancelResponse::ACCEPT;},
      [this](std::shared_ptr<GoalHandle> goal) {
        auto feedback = std::make_shared<Fibonacci::Feedback>();
        feedback->sequence = {0, 1};
        goals_.push_back({goal, feedback});
      });
    // Ten numbers per second. Work that takes longer than a callback should belongs on a thread of its own.
    timer_ = create_wall_timer(std::chrono::milliseconds(100), [this] {goals_.remove_if(advance);});
  }

private:
  using GoalHandle = rclcpp_action::ServerGoalHandle<Fibonacci>;

  /// A goal, and the numbers that were computed for it.
  struct Goal
  {
    std::shared_ptr<GoalHandle> handle;
    std::shared_ptr<Fibonacci::Feedback> feedback;
  };

  /// Computes a number, and sends it as feedback. Returns whether the goal has ended.
  static bool advance(Goal & goal)
  {
    auto & sequence = goal.feedback->sequence;
    const bool finished = sequence.size() > static_cast<size_t>(goal.handle->get_goal()->order);
    if (finished || goal.handle->is_canceling()) {
      auto result = std::make_shared<Fibonacci::Result>();
      result->sequence = sequence;
      finished ? goal.handle->succeed(result) : goal.handle->canceled(result);
      return true;
    }
    sequence.push_back(sequence[sequence.size() - 1] + sequence[sequence.size() - 2]);
    goal.handle->publish_feedback(goal.feedback);
    return false;
  }

  rclcpp_action::Server<Fibonacci>::SharedPtr server_;
  rclcpp::TimerBase::SharedPtr timer_;
  std::list<Goal> goals_;
};

#endif  // FIBONACCI_SERVER_HPP_
