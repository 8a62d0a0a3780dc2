#ifndef RCLCPP_ACTION__CLIENT_HPP_
#define RCLCPP_ACTION__CLIENT_HPP_

#include <algorithm>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "rclcpp/logging.hpp"
#include "rclcpp_action/client_base.hpp"
#include "rclcpp_action/client_goal_handle.hpp"

namespace rclcpp_action
{

/// A client of an action. May be used on any thread. Its callbacks run in an executor that spins its node. create_client()
/// makes it.
template<typename ActionT>
class Client : public ClientBase, public std::enable_shared_from_this<Client<ActionT>>
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(Client<ActionT>)

  using Goal = typename ActionT::Goal;
  using Feedback = typename ActionT::Feedback;
  using GoalHandle = ClientGoalHandle<ActionT>;
  using WrappedResult = typename GoalHandle::WrappedResult;
  using GoalResponseCallback = std::function<void (typename GoalHandle::SharedPtr)>;
  using FeedbackCallback = typename GoalHandle::FeedbackCallback;
  using ResultCallback = typename GoalHandle::ResultCallback;
  using CancelRequest = typename ActionT::Impl::CancelGoalService::Request;
  using CancelResponse = typename ActionT::Impl::CancelGoalService::Response;
  using CancelCallback = std::function<void (typename CancelResponse::SharedPtr)>;

  /// The callbacks of a goal.
  struct SendGoalOptions
  {
    SendGoalOptions() = default;

    /// Called with the handle of the goal, or with nullptr if it is rejected or can't be answered.
    GoalResponseCallback goal_response_callback = nullptr;
    /// Called with each feedback message, from the first one on.
    FeedbackCallback feedback_callback = nullptr;
    /// Called with the result.
    ResultCallback result_callback = nullptr;
  };

  Client(
    rclcpp::node_interfaces::NodeBaseInterface::SharedPtr node_base, const rclcpp::Logger & logger,
    const std::string & action_name, const rcl_action_client_options_t & client_options =
    rcl_action_client_get_default_options(), const rclcpp::CallbackGroup::SharedPtr & group = nullptr)
  : ClientBase(node_base.get(), logger, action_name, detail::ActionSupport::of<ActionT>(), client_options, group)
  {
    open_status();
  }

  ~Client() override {close();}

  /// Ends the client. Whoever waits for a result gets an UnawareGoalHandleError.
  void close()
  {
    ClientBase::close();
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto & [id, weak] : goals_) {
      if (const auto goal = weak.lock()) {
        goal->invalidate("the client of the action was destroyed");
      }
    }
    goals_.clear();
  }

  /// Sends a goal. The future has the handle, or nullptr if the server rejects the goal. If the server ends before it answers,
  /// `get()` of the future throws std::runtime_error with the reason.
  std::shared_future<typename GoalHandle::SharedPtr> async_send_goal(
    const Goal & goal, const SendGoalOptions & options = SendGoalOptions())
  {
    auto promise = std::make_shared<std::promise<typename GoalHandle::SharedPtr>>();
    std::shared_future<typename GoalHandle::SharedPtr> future(promise->get_future());
    const GoalUUID id = generate_goal_id();
    auto request = std::make_shared<typename ActionT::Impl::SendGoalService::Request>();
    request->goal_id.uuid = id;
    request->goal = goal;
    listen(id, options.feedback_callback);
    try {
      send_goal(
        id, request.get(), [weak = this->weak_from_this(), id, promise, options](const Read & read, const char * failure) {
          if (const auto self = weak.lock()) {
            self->answered(id, *promise, options, read, failure);
          }
        });
    } catch (...) {
      forget(id);
      throw;
    }
    return future;
  }

  /// Requests the result of a goal. An executor calls `result_callback` with it.
  /// \throws exceptions::UnknownGoalHandleError if the goal is not one of this client, or has ended
  std::shared_future<WrappedResult> async_get_result(
    typename GoalHandle::SharedPtr goal_handle, ResultCallback result_callback = nullptr)
  {
    check_known(goal_handle);
    request_result(goal_handle, std::move(result_callback));
    return goal_handle->result_;
  }

  /// Requests to cancel a goal.
  /// \throws exceptions::UnknownGoalHandleError if the goal is not one of this client, or has ended
  std::shared_future<typename CancelResponse::SharedPtr> async_cancel_goal(
    typename GoalHandle::SharedPtr goal_handle, CancelCallback cancel_callback = nullptr)
  {
    check_known(goal_handle);
    return request_cancel(goal_handle->get_goal_id(), rclcpp::Time(0, 0, RCL_ROS_TIME), std::move(cancel_callback));
  }

  /// Requests to cancel all goals of the server, those of other clients too.
  std::shared_future<typename CancelResponse::SharedPtr> async_cancel_all_goals(CancelCallback cancel_callback = nullptr)
  {
    return request_cancel(GoalUUID{}, rclcpp::Time(0, 0, RCL_ROS_TIME), std::move(cancel_callback));
  }

  /// Requests to cancel all goals that the server has accepted at `stamp` or before.
  std::shared_future<typename CancelResponse::SharedPtr> async_cancel_goals_before(
    const rclcpp::Time & stamp, CancelCallback cancel_callback = nullptr)
  {
    return request_cancel(GoalUUID{}, stamp, std::move(cancel_callback));
  }

  /// Calls neither the feedback nor the result callback of a goal any more.
  void stop_callbacks(typename GoalHandle::SharedPtr goal_handle)
  {
    goal_handle->stop_callbacks();
    forget_feedback(goal_handle->get_goal_id());
  }
  void stop_callbacks(const GoalUUID & goal_id)
  {
    if (const auto goal = find(goal_id)) {
      stop_callbacks(goal);
    }
  }

protected:
  void handle_status(const action_msgs::msg::GoalStatusArray & states) override
  {
    for (const auto & state : states.status_list) {
      if (const auto goal = find(state.goal_info.goal_id.uuid)) {
        goal->set_status(state.status);
      }
    }
  }

private:
  using FeedbackPtr = std::shared_ptr<const Feedback>;

  /// Receives the feedback of a goal. What comes before the goal's acceptance waits for it.
  void listen(const GoalUUID & id, const FeedbackCallback & callback)
  {
    if (!callback) {
      return;
    }
    {
      std::lock_guard<std::mutex> lock(mutex_);
      early_[id];
    }
    on_feedback(
      id, [weak = this->weak_from_this(), id](const Read & read) {
        const auto self = weak.lock();
        auto message = std::make_shared<typename ActionT::Impl::FeedbackMessage>();
        const char * fault = self ? read(message.get()) : nullptr;
        if (fault != nullptr) {
          RCLCPP_ERROR(self->get_logger(), "feedback of an action can't be read: %s", fault);
        } else if (self) {
          self->deliver(id, FeedbackPtr(message, &message->feedback));
        }
      });
  }

  void deliver(const GoalUUID & id, FeedbackPtr feedback)
  {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      const auto waiting = early_.find(id);
      if (waiting != early_.end()) {
        waiting->second.push_back(std::move(feedback));
        return;
      }
    }
    if (const auto goal = find(id)) {
      goal->call_feedback_callback(goal, std::move(feedback));
    } else {
      forget(id);
    }
  }

  void answered(
    const GoalUUID & id, std::promise<typename GoalHandle::SharedPtr> & promise, const SendGoalOptions & options,
    const Read & read, const char * failure)
  {
    typename ActionT::Impl::SendGoalService::Response response;
    const char * reason = failure == nullptr ? read(&response) : failure;
    if (reason != nullptr) {
      RCLCPP_WARN(get_logger(), "a goal was not answered: %s", reason);
      promise.set_exception(std::make_exception_ptr(std::runtime_error(reason)));
    }
    if (reason != nullptr || !response.accepted) {
      forget(id);
      if (reason == nullptr) {
        promise.set_value(nullptr);
      }
      if (options.goal_response_callback) {
        options.goal_response_callback(nullptr);
      }
      return;
    }
    accepted(id, rclcpp::Time(response.stamp), promise, options);
  }

  void accepted(
    const GoalUUID & id, const rclcpp::Time & stamp, std::promise<typename GoalHandle::SharedPtr> & promise,
    const SendGoalOptions & options)
  {
    typename GoalHandle::SharedPtr goal(
      new GoalHandle(id, stamp, options.feedback_callback, options.result_callback));
    {
      std::lock_guard<std::mutex> lock(mutex_);
      goals_[id] = goal;
    }
    promise.set_value(goal);
    if (options.goal_response_callback) {
      options.goal_response_callback(goal);
    }
    for (auto & feedback : take_early(id)) {
      goal->call_feedback_callback(goal, std::move(feedback));
    }
    if (goal->has_result_callback()) {
      request_result(goal, nullptr);
    }
  }

  std::vector<FeedbackPtr> take_early(const GoalUUID & id)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    std::vector<FeedbackPtr> early;
    const auto waiting = early_.find(id);
    if (waiting != early_.end()) {
      early = std::move(waiting->second);
      early_.erase(waiting);
    }
    return early;
  }

  void request_result(const typename GoalHandle::SharedPtr & goal, ResultCallback callback)
  {
    if (!goal->request_result(std::move(callback))) {
      return;
    }
    try {
      get_result(
        goal->get_goal_id(), [weak = this->weak_from_this(), goal](const Read & read, const char * failure) {
          if (const auto self = weak.lock()) {
            self->ended(goal, read, failure);
          }
        });
    } catch (const std::exception & error) {
      // There is no server any more, or the client has ended.
      goal->invalidate(error.what());
    }
  }

  void ended(const typename GoalHandle::SharedPtr & goal, const Read & read, const char * failure)
  {
    forget(goal->get_goal_id());
    typename ActionT::Impl::GetResultService::Response response;
    const char * reason = failure == nullptr ? read(&response) : failure;
    if (reason != nullptr) {
      RCLCPP_WARN(get_logger(), "a result was not received: %s", reason);
      goal->invalidate(reason);
      return;
    }
    WrappedResult result;
    result.goal_id = goal->get_goal_id();
    result.code = static_cast<ResultCode>(response.status);
    result.result = std::make_shared<typename ActionT::Result>(std::move(response.result));
    goal->end(result);
  }

  std::shared_future<typename CancelResponse::SharedPtr> request_cancel(
    const GoalUUID & id, const rclcpp::Time & stamp, CancelCallback callback)
  {
    auto promise = std::make_shared<std::promise<typename CancelResponse::SharedPtr>>();
    std::shared_future<typename CancelResponse::SharedPtr> future(promise->get_future());
    cancel(
      id, stamp, [promise, callback](typename CancelResponse::SharedPtr response, const char * failure) {
        if (response == nullptr) {
          promise->set_exception(std::make_exception_ptr(std::runtime_error(failure)));
          return;
        }
        promise->set_value(response);
        if (callback) {
          callback(response);
        }
      });
    return future;
  }

  typename GoalHandle::SharedPtr find(const GoalUUID & id)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = goals_.find(id);
    return found == goals_.end() ? nullptr : found->second.lock();
  }

  void check_known(const typename GoalHandle::SharedPtr & goal)
  {
    if (const auto reason = goal->invalid_reason()) {
      throw exceptions::UnawareGoalHandleError(*reason);
    }
    if (find(goal->get_goal_id()) != goal) {
      throw exceptions::UnknownGoalHandleError();
    }
  }

  void forget(const GoalUUID & id)
  {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      goals_.erase(id);
      early_.erase(id);
    }
    forget_feedback(id);
  }

  std::mutex mutex_;
  std::map<GoalUUID, typename GoalHandle::WeakPtr> goals_;
  /// The feedback of goals whose acceptance has not come yet.
  std::map<GoalUUID, std::vector<FeedbackPtr>> early_;
};

}  // namespace rclcpp_action

#endif  // RCLCPP_ACTION__CLIENT_HPP_
