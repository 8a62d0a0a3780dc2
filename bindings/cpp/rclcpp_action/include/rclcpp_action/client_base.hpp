#ifndef RCLCPP_ACTION__CLIENT_BASE_HPP_
#define RCLCPP_ACTION__CLIENT_BASE_HPP_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "action_msgs/msg/goal_status_array.hpp"
#include "action_msgs/srv/cancel_goal.hpp"
#include "rcl_action/action_client.h"
#include "rclcpp/callback_group.hpp"
#include "rclcpp/context.hpp"
#include "rclcpp/logger.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/time.hpp"
#include "rclcpp_action/action_support.hpp"
#include "rclcpp_action/types.hpp"
#include "rclcpp_action/visibility_control.hpp"

namespace rclcpp_action
{

/// What clients of all actions have in common.
class RCLCPP_ACTION_PUBLIC ClientBase
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(ClientBase)

  ClientBase(
    rclcpp::node_interfaces::NodeBaseInterface * node_base, const rclcpp::Logger & logger, const std::string & action_name,
    const detail::ActionSupport & support, const rcl_action_client_options_t & options,
    const rclcpp::CallbackGroup::SharedPtr & group);
  ClientBase(const ClientBase &) = delete;
  ClientBase & operator=(const ClientBase &) = delete;
  virtual ~ClientBase();

  /// Whether all services and topics of a server are connected.
  bool action_server_is_ready() const;
  /// Waits until a server is ready. A negative timeout is none. Returns false after the timeout, or a shutdown.
  template<typename RepT = int64_t, typename RatioT = std::milli>
  bool wait_for_action_server(
    std::chrono::duration<RepT, RatioT> timeout = std::chrono::duration<RepT, RatioT>(-1))
  {
    return wait_for_action_server_nanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(timeout));
  }

protected:
  /// Reads a received message into a structure. Returns why it can't be read, or NULL.
  using Read = std::function<const char *(void * message)>;
  /// Called with the outcome of a request: how its response is read, or the reason why there is none.
  using Outcome = std::function<void (const Read & read, const char * failure)>;
  using CancelOutcome = std::function<void (action_msgs::srv::CancelGoal::Response::SharedPtr response, const char * failure)>;
  /// Called with each feedback message.
  using OnFeedback = std::function<void (const Read & read)>;

  bool wait_for_action_server_nanoseconds(std::chrono::nanoseconds timeout);
  /// Receives the states of goals. It is called once, when handle_status() may be called.
  void open_status();
  /// Ends the client: no callback runs any more.
  void close();
  static GoalUUID generate_goal_id();
  /// Sends a goal: a SendGoalService::Request.
  /// \throws rclcpp::exceptions::RCLError if there is no server, or the goal can't be sent
  void send_goal(const GoalUUID & id, const void * request, Outcome outcome);
  /// Sets the callback for the feedback on a goal. It is called with the FeedbackMessage, from the first one on.
  void on_feedback(const GoalUUID & id, OnFeedback callback);
  void forget_feedback(const GoalUUID & id);
  /// Requests the result of a goal: a GetResultService::Response.
  void get_result(const GoalUUID & id, Outcome outcome);
  /// Requests to cancel the goal with the id, and those that were accepted at a time or before. Zeros select all goals.
  void cancel(const GoalUUID & id, const rclcpp::Time & stamp, CancelOutcome outcome);
  rclcpp::Logger get_logger() const {return logger_;}

  /// Called with the states of the goals of the server.
  virtual void handle_status(const action_msgs::msg::GoalStatusArray & states) = 0;

private:
  struct Calls;
  struct State;

  std::shared_ptr<saltus_node_t> node_;
  std::shared_ptr<rclcpp::Context> context_;
  rclcpp::Logger logger_;
  detail::ActionSupport support_;
  rclcpp::CallbackGroup::SharedPtr group_;
  rmw_qos_profile_t status_qos_;
  std::unique_ptr<State> state_;
};

}  // namespace rclcpp_action

#endif  // RCLCPP_ACTION__CLIENT_BASE_HPP_
