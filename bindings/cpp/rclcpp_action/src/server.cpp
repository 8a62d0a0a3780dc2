#include "rclcpp_action/server.hpp"

#include "messages.hpp"

namespace rclcpp_action
{

/// What a server has before it is open.
struct ServerBase::Settings
{
  std::string action;
  rcl_action_server_options_t options;
  rclcpp::CallbackGroup::SharedPtr group;
};

/// The functions that libsaltus calls.
struct ServerBase::Calls
{
  using Weak = std::weak_ptr<ServerBase>;

  static saltus_next_t on_goal(
    void * context, const saltus_goal_id_t * id, const uint8_t * data, size_t size, saltus_goal_decision_t * decision)
  {
    const auto server = static_cast<Weak *>(context)->lock();
    return server ? rclcpp::detail::guarded([&] {
               const auto response = server->decide_goal(detail::to_uuid(*id), reader(*server, data, size));
               *decision = static_cast<saltus_goal_decision_t>(response);
             }) : SALTUS_CONTINUE;
  }

  static saltus_next_t on_cancel(void * context, const saltus_goal_t * goal, bool * accepts)
  {
    const auto server = static_cast<Weak *>(context)->lock();
    return server ? rclcpp::detail::guarded([&] {
               const auto response = server->decide_cancel(goal, id_of(goal), reader(*server, goal));
               *accepts = response == CancelResponse::ACCEPT;
             }) : SALTUS_CONTINUE;
  }

  static saltus_next_t on_accepted(void * context, saltus_goal_t * goal)
  {
    const auto server = static_cast<Weak *>(context)->lock();
    if (!server) {
      saltus_goal_destroy(goal);
      return SALTUS_CONTINUE;
    }
    return rclcpp::detail::guarded([&] {
               server->receive_accepted(goal, id_of(goal), reader(*server, goal));
             });
  }

  static void drop(void * context) {delete static_cast<Weak *>(context);}

  static GoalUUID id_of(const saltus_goal_t * goal)
  {
    saltus_goal_id_t id{};
    saltus_goal_id(goal, &id);
    return detail::to_uuid(id);
  }

  static Read reader(const ServerBase & server, const saltus_goal_t * goal)
  {
    size_t size = 0;
    const uint8_t * data = saltus_goal_request(goal, &size);
    return reader(server, data, size);
  }

  static Read reader(const ServerBase & server, const uint8_t * data, size_t size)
  {
    const auto & support = rclcpp::detail::support_of(detail::request_of(server.support_.send_goal));
    return [&support, data, size](void * message) {return support.read(message, data, size);};
  }
};

ServerBase::ServerBase(
  rclcpp::node_interfaces::NodeBaseInterface * node_base, const rclcpp::Logger & logger, const std::string & action_name,
  const detail::ActionSupport & support, const rcl_action_server_options_t & options,
  const rclcpp::CallbackGroup::SharedPtr & group)
: node_(node_base->get_shared_saltus_node()), logger_(logger), support_(support),
  settings_(new Settings{action_name, options, group})
{
  if (group && !node_base->callback_group_in_node(group)) {
    throw std::runtime_error("Cannot create action server, group not in node.");
  }
}

ServerBase::~ServerBase() {close();}

void ServerBase::open()
{
  detail::Options given(settings_->action, support_, settings_->options, settings_->group);
  const auto empty = detail::bytes_of(
    detail::response_of(support_.get_result), empty_response().get(), "could not create action server");
  given.all.result_timeout = settings_->options.result_timeout.nanoseconds;
  given.all.empty_result = empty.data();
  given.all.empty_result_size = empty.size();
  const saltus_action_functions_t functions{
    sizeof functions, &Calls::on_goal, &Calls::on_cancel, &Calls::on_accepted, new Calls::Weak(weak_from_this()),
    &Calls::drop};
  handle_ = rclcpp::detail::created<saltus_action_server_t>(
    "could not create action server", [&](saltus_action_server_t ** place) {
      return saltus_action_server_create(node_.get(), &given.all, &functions, place);
    }, settings_->action);
}

saltus_goal_t * ServerBase::clone(const saltus_goal_t * goal)
{
  return rclcpp::detail::created<saltus_goal_t>(
    "could not copy the handle of a goal", [&](saltus_goal_t ** place) {return saltus_goal_clone(goal, place);});
}

void ServerBase::destroy(saltus_goal_t * goal) {saltus_goal_destroy(goal);}

void ServerBase::close()
{
  saltus_action_server_destroy(handle_);
  handle_ = nullptr;
}

ServerGoalHandleBase::ServerGoalHandleBase(saltus_goal_t * goal, const detail::ActionSupport & support)
: goal_(goal), support_(support)
{}

ServerGoalHandleBase::~ServerGoalHandleBase()
{
  if (is_active() && !is_canceling()) {
    saltus_goal_cancel(goal_);
  }
  saltus_goal_destroy(goal_);
}

bool ServerGoalHandleBase::is_canceling() const {return saltus_goal_status(goal_) == GoalStatus::STATUS_CANCELING;}

bool ServerGoalHandleBase::is_active() const {return saltus_goal_status(goal_) < GoalStatus::STATUS_SUCCEEDED;}

bool ServerGoalHandleBase::is_executing() const {return saltus_goal_status(goal_) == GoalStatus::STATUS_EXECUTING;}

namespace
{

/// Throws the exception for a failure, unless the server has ended: then nobody can learn of the goal any more.
void check(saltus_status_t status, const char * what)
{
  if (status != SALTUS_SERVER_GONE) {
    rclcpp::detail::check(status, what);
  }
}

}  // namespace

void ServerGoalHandleBase::begin_execution() {check(saltus_goal_execute(goal_), "failed to execute goal");}

void ServerGoalHandleBase::publish(const void * feedback)
{
  const auto bytes = detail::bytes_of(support_.feedback, feedback, "failed to publish feedback");
  check(saltus_goal_publish_feedback(goal_, bytes.data(), bytes.size()), "failed to publish feedback");
}

void ServerGoalHandleBase::end(int8_t code, const void * response)
{
  const auto bytes = detail::bytes_of(detail::response_of(support_.get_result), response, "failed to end goal");
  check(
    saltus_goal_end(goal_, static_cast<saltus_goal_end_t>(code), bytes.data(), bytes.size()), "failed to end goal");
}

}  // namespace rclcpp_action
