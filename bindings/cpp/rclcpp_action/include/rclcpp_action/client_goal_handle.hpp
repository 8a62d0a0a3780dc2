#ifndef RCLCPP_ACTION__CLIENT_GOAL_HANDLE_HPP_
#define RCLCPP_ACTION__CLIENT_GOAL_HANDLE_HPP_

#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "rclcpp/macros.hpp"
#include "rclcpp/time.hpp"
#include "rclcpp_action/exceptions.hpp"
#include "rclcpp_action/types.hpp"
#include "rclcpp_action/visibility_control.hpp"

namespace rclcpp_action
{

/// How a goal has ended.
enum class ResultCode : int8_t
{
  UNKNOWN = action_msgs::msg::GoalStatus::STATUS_UNKNOWN,
  SUCCEEDED = action_msgs::msg::GoalStatus::STATUS_SUCCEEDED,
  CANCELED = action_msgs::msg::GoalStatus::STATUS_CANCELED,
  ABORTED = action_msgs::msg::GoalStatus::STATUS_ABORTED
};

template<typename ActionT>
class Client;

/// A goal that a server has accepted. May be used on any thread.
template<typename ActionT>
class ClientGoalHandle
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(ClientGoalHandle)

  /// The result of a goal.
  struct WrappedResult
  {
    GoalUUID goal_id;
    ResultCode code;
    typename ActionT::Result::SharedPtr result;
  };

  using Feedback = typename ActionT::Feedback;
  using Result = typename ActionT::Result;
  using FeedbackCallback = std::function<
    void (typename ClientGoalHandle<ActionT>::SharedPtr, const std::shared_ptr<const Feedback>)>;
  using ResultCallback = std::function<void (const WrappedResult & result)>;

  ClientGoalHandle(const ClientGoalHandle &) = delete;
  ClientGoalHandle & operator=(const ClientGoalHandle &) = delete;
  virtual ~ClientGoalHandle() = default;

  const GoalUUID & get_goal_id() const {return id_;}
  /// Returns when the goal was accepted, by the clock of the server.
  rclcpp::Time get_goal_stamp() const {return stamp_;}
  /// Returns the state of the goal, as the server has said last: a number of action_msgs/msg/GoalStatus.
  int8_t get_status()
  {
    std::lock_guard<std::mutex> lock(mutex_);
    return status_;
  }
  /// Whether the goal has a callback for feedback.
  bool is_feedback_aware()
  {
    std::lock_guard<std::mutex> lock(mutex_);
    return static_cast<bool>(feedback_callback_);
  }
  /// Whether the result was requested.
  bool is_result_aware()
  {
    std::lock_guard<std::mutex> lock(mutex_);
    return is_result_aware_;
  }

private:
  friend class Client<ActionT>;

  ClientGoalHandle(
    const GoalUUID & id, const rclcpp::Time & stamp, FeedbackCallback feedback_callback, ResultCallback result_callback)
  : id_(id), stamp_(stamp), feedback_callback_(std::move(feedback_callback)),
    result_callback_(std::move(result_callback)), result_(promise_.get_future()) {}

  void set_status(int8_t status)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (status_ < GoalStatus::STATUS_SUCCEEDED) {
      status_ = status;
    }
  }

  /// Notes that the result is requested. Returns whether it was not before.
  bool request_result(ResultCallback callback)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (callback) {
      result_callback_ = std::move(callback);
    }
    const bool is_new = !is_result_aware_;
    is_result_aware_ = true;
    return is_new;
  }

  bool has_result_callback()
  {
    std::lock_guard<std::mutex> lock(mutex_);
    return static_cast<bool>(result_callback_);
  }

  void stop_callbacks()
  {
    std::lock_guard<std::mutex> lock(mutex_);
    feedback_callback_ = nullptr;
    result_callback_ = nullptr;
  }

  void call_feedback_callback(SharedPtr self, std::shared_ptr<const Feedback> feedback)
  {
    FeedbackCallback callback;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      callback = feedback_callback_;
    }
    if (callback) {
      callback(std::move(self), std::move(feedback));
    }
  }

  /// Ends the goal with its result. Only the first end counts.
  void end(const WrappedResult & result)
  {
    ResultCallback callback;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (has_ended_) {
        return;
      }
      has_ended_ = true;
      status_ = static_cast<int8_t>(result.code);
      callback = result_callback_;
    }
    promise_.set_value(result);
    if (callback) {
      callback(result);
    }
  }

  /// Ends the goal without a result: whoever waits for it gets the reason.
  void invalidate(const std::string & reason)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!has_ended_) {
      has_ended_ = true;
      is_result_aware_ = false;
      invalid_ = reason;
      promise_.set_exception(std::make_exception_ptr(exceptions::UnawareGoalHandleError(reason)));
    }
  }

  std::optional<std::string> invalid_reason()
  {
    std::lock_guard<std::mutex> lock(mutex_);
    return invalid_;
  }

  const GoalUUID id_;
  const rclcpp::Time stamp_;
  std::mutex mutex_;
  FeedbackCallback feedback_callback_;
  ResultCallback result_callback_;
  bool is_result_aware_ = false;
  bool has_ended_ = false;
  std::optional<std::string> invalid_;
  int8_t status_ = GoalStatus::STATUS_ACCEPTED;
  std::promise<WrappedResult> promise_;
  const std::shared_future<WrappedResult> result_;
};

}  // namespace rclcpp_action

#endif  // RCLCPP_ACTION__CLIENT_GOAL_HANDLE_HPP_
