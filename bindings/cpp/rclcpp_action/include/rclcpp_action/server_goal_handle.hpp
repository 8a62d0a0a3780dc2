#ifndef RCLCPP_ACTION__SERVER_GOAL_HANDLE_HPP_
#define RCLCPP_ACTION__SERVER_GOAL_HANDLE_HPP_

#include <functional>
#include <memory>

#include "rclcpp/macros.hpp"
#include "rclcpp_action/action_support.hpp"
#include "rclcpp_action/types.hpp"
#include "rclcpp_action/visibility_control.hpp"

struct saltus_goal_t;

namespace rclcpp_action
{

/// What goals of all actions have in common.
class RCLCPP_ACTION_PUBLIC ServerGoalHandleBase
{
public:
  ServerGoalHandleBase(const ServerGoalHandleBase &) = delete;
  ServerGoalHandleBase & operator=(const ServerGoalHandleBase &) = delete;
  /// If the goal has not ended, it is canceled, with an empty result.
  virtual ~ServerGoalHandleBase();

  /// Whether a client wants the goal to be canceled. The program should then call `canceled()` soon.
  bool is_canceling() const;
  /// Whether the goal has not ended.
  bool is_active() const;
  bool is_executing() const;

protected:
  ServerGoalHandleBase(saltus_goal_t * goal, const detail::ActionSupport & support);

  void begin_execution();
  /// Publishes a FeedbackMessage.
  void publish(const void * feedback);
  /// Ends the goal with a GetResultService::Response. `code` is a state of action_msgs/msg/GoalStatus.
  void end(int8_t code, const void * response);

private:
  saltus_goal_t * goal_;
  detail::ActionSupport support_;
};

template<typename ActionT>
class Server;

/// A goal that the server has accepted. May be used on any thread.
template<typename ActionT>
class ServerGoalHandle : public ServerGoalHandleBase
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(ServerGoalHandle)

  /// Publishes feedback.
  /// \throws rclcpp::exceptions::RCLError if the goal has ended
  void publish_feedback(std::shared_ptr<typename ActionT::Feedback> feedback_msg)
  {
    typename ActionT::Impl::FeedbackMessage message;
    message.goal_id.uuid = id_;
    message.feedback = *feedback_msg;
    publish(&message);
  }

  /// Ends the goal because it can't be reached.
  /// \throws rclcpp::exceptions::RCLError if the goal has ended
  void abort(typename ActionT::Result::SharedPtr result_msg) {end_with(GoalStatus::STATUS_ABORTED, *result_msg);}
  /// Ends the goal, which was reached.
  /// \throws rclcpp::exceptions::RCLError if the goal has ended
  void succeed(typename ActionT::Result::SharedPtr result_msg) {end_with(GoalStatus::STATUS_SUCCEEDED, *result_msg);}
  /// Ends the goal as canceled.
  /// \throws rclcpp::exceptions::RCLError if it is not canceling
  void canceled(typename ActionT::Result::SharedPtr result_msg) {end_with(GoalStatus::STATUS_CANCELED, *result_msg);}
  /// Begins the execution of a goal that was accepted with ACCEPT_AND_DEFER.
  /// \throws rclcpp::exceptions::RCLError if it was begun already
  void execute() {begin_execution();}

  const std::shared_ptr<const typename ActionT::Goal> get_goal() const {return goal_;}
  const GoalUUID & get_goal_id() const {return id_;}

private:
  friend class Server<ActionT>;

  ServerGoalHandle(saltus_goal_t * handle, const GoalUUID & id, std::shared_ptr<const typename ActionT::Goal> goal)
  : ServerGoalHandleBase(handle, detail::ActionSupport::of<ActionT>()), id_(id), goal_(std::move(goal)) {}

  void end_with(int8_t code, const typename ActionT::Result & result)
  {
    typename ActionT::Impl::GetResultService::Response response;
    response.status = code;
    response.result = result;
    end(code, &response);
  }

  const GoalUUID id_;
  const std::shared_ptr<const typename ActionT::Goal> goal_;
};

}  // namespace rclcpp_action

#endif  // RCLCPP_ACTION__SERVER_GOAL_HANDLE_HPP_
