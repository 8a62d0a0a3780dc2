#ifndef RCLCPP_ACTION__SERVER_HPP_
#define RCLCPP_ACTION__SERVER_HPP_

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "rcl_action/action_server.h"
#include "rclcpp/callback_group.hpp"
#include "rclcpp/logger.hpp"
#include "rclcpp/logging.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp_action/server_goal_handle.hpp"

struct saltus_action_server_t;

namespace rclcpp_action
{

/// The decision on a goal.
enum class GoalResponse : int8_t
{
  REJECT = 1,
  ACCEPT_AND_EXECUTE = 2,
  ACCEPT_AND_DEFER = 3,
};

/// The decision on a request to cancel a goal.
enum class CancelResponse : int8_t
{
  REJECT = 1,
  ACCEPT = 2,
};

/// What servers of all actions have in common.
class RCLCPP_ACTION_PUBLIC ServerBase : public std::enable_shared_from_this<ServerBase>
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(ServerBase)

  ServerBase(
    rclcpp::node_interfaces::NodeBaseInterface * node_base, const rclcpp::Logger & logger, const std::string & action_name,
    const detail::ActionSupport & support, const rcl_action_server_options_t & options,
    const rclcpp::CallbackGroup::SharedPtr & group);
  ServerBase(const ServerBase &) = delete;
  ServerBase & operator=(const ServerBase &) = delete;
  /// Ends the server. Clients that wait for results learn it at once.
  virtual ~ServerBase();

  /// Opens the server. It is called once, by the function that creates it.
  void open();
  /// Ends the server. A callback that runs on another thread has returned when this returns.
  void close();

protected:
  /// Reads a received message into a structure. Returns why it can't be read, or NULL.
  using Read = std::function<const char *(void * message)>;

  virtual GoalResponse decide_goal(const GoalUUID & id, const Read & read) = 0;
  /// Decides whether a goal is canceled. It may be asked before receive_accepted(), with a handle of its own.
  virtual CancelResponse decide_cancel(const saltus_goal_t * goal, const GoalUUID & id, const Read & read) = 0;
  static saltus_goal_t * clone(const saltus_goal_t * goal);
  static void destroy(saltus_goal_t * goal);
  virtual void receive_accepted(saltus_goal_t * goal, const GoalUUID & id, const Read & read) = 0;
  /// Returns an empty GetResultService::Response.
  virtual std::shared_ptr<const void> empty_response() const = 0;
  rclcpp::Logger get_logger() const {return logger_;}

private:
  struct Calls;
  struct Settings;

  std::shared_ptr<saltus_node_t> node_;
  rclcpp::Logger logger_;
  detail::ActionSupport support_;
  std::unique_ptr<Settings> settings_;
  saltus_action_server_t * handle_ = nullptr;
};

/// A server of an action. Its callbacks run in an executor that spins its node.
template<typename ActionT>
class Server : public ServerBase
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(Server)

  using GoalHandle = ServerGoalHandle<ActionT>;
  using GoalCallback = std::function<GoalResponse(const GoalUUID &, std::shared_ptr<const typename ActionT::Goal>)>;
  using CancelCallback = std::function<CancelResponse(std::shared_ptr<GoalHandle>)>;
  using AcceptedCallback = std::function<void (std::shared_ptr<GoalHandle>)>;

  Server(
    rclcpp::node_interfaces::NodeBaseInterface::SharedPtr node_base, const rclcpp::Logger & logger,
    const std::string & name, const rcl_action_server_options_t & options, GoalCallback handle_goal,
    CancelCallback handle_cancel, AcceptedCallback handle_accepted, const rclcpp::CallbackGroup::SharedPtr & group = nullptr)
  : ServerBase(node_base.get(), logger, name, detail::ActionSupport::of<ActionT>(), options, group),
    handle_goal_(std::move(handle_goal)), handle_cancel_(std::move(handle_cancel)),
    handle_accepted_(std::move(handle_accepted)) {}
  ~Server() override {close();}

protected:
  using typename ServerBase::Read;

  GoalResponse decide_goal(const GoalUUID & id, const Read & read) override
  {
    auto goal = read_goal(read);
    const GoalResponse response = goal ? handle_goal_(id, goal) : GoalResponse::REJECT;
    if (response != GoalResponse::REJECT) {
      std::lock_guard<std::mutex> lock(mutex_);
      decided_ = {id, std::move(goal)};
    }
    return response;
  }

  CancelResponse decide_cancel(const saltus_goal_t * handle, const GoalUUID & id, const Read & read) override
  {
    std::shared_ptr<GoalHandle> goal;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      const auto found = goals_.find(id);
      if (found != goals_.end()) {
        goal = found->second.lock();
      } else {
        // The request to cancel was served before the goal was given to the program.
        goal.reset(new GoalHandle(clone(handle), id, read_goal(read)));
        goals_[id] = goal;
        early_[id] = goal;
      }
    }
    return goal ? handle_cancel_(goal) : CancelResponse::REJECT;
  }

  void receive_accepted(saltus_goal_t * handle, const GoalUUID & id, const Read & read) override
  {
    std::shared_ptr<GoalHandle> goal;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      for (auto known = goals_.begin(); known != goals_.end(); ) {
        known = known->second.expired() ? goals_.erase(known) : std::next(known);
      }
      const auto early = early_.find(id);
      if (early != early_.end()) {
        goal = early->second;
        early_.erase(early);
        destroy(handle);
      } else {
        goal.reset(new GoalHandle(handle, id, take_decided(id, read)));
      }
      goals_[id] = goal;
    }
    handle_accepted_(goal);
  }

  std::shared_ptr<const void> empty_response() const override
  {
    return std::make_shared<typename ActionT::Impl::GetResultService::Response>();
  }

private:
  std::shared_ptr<const typename ActionT::Goal> read_goal(const Read & read)
  {
    auto request = std::make_shared<typename ActionT::Impl::SendGoalService::Request>();
    if (const char * fault = read(request.get())) {
      RCLCPP_ERROR(get_logger(), "a goal can't be read: %s", fault);
      return nullptr;
    }
    return std::shared_ptr<const typename ActionT::Goal>(request, &request->goal);
  }

  /// Returns the goal that was read for the decision. Another thread may have decided on another goal since: then it is read again.
  std::shared_ptr<const typename ActionT::Goal> take_decided(const GoalUUID & id, const Read & read)
  {
    auto goal = decided_.first == id ? std::move(decided_.second) : nullptr;
    return goal ? goal : read_goal(read);
  }

  GoalCallback handle_goal_;
  CancelCallback handle_cancel_;
  AcceptedCallback handle_accepted_;
  std::mutex mutex_;
  /// The goal that was accepted last, until it is given to the program.
  std::pair<GoalUUID, std::shared_ptr<const typename ActionT::Goal>> decided_;
  std::map<GoalUUID, std::weak_ptr<GoalHandle>> goals_;
  /// The goals that were to be canceled before they were given to the program.
  std::map<GoalUUID, std::shared_ptr<GoalHandle>> early_;
};

}  // namespace rclcpp_action

#endif  // RCLCPP_ACTION__SERVER_HPP_
