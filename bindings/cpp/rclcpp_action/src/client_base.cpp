#include "rclcpp_action/client_base.hpp"

#include <sys/random.h>

#include <cerrno>
#include <system_error>

#include "messages.hpp"
#include "rclcpp/logging.hpp"

namespace rclcpp_action
{

/// The objects of libsaltus.
struct ClientBase::State
{
  saltus_action_client_t * client = nullptr;
  saltus_subscription_t * status = nullptr;
};

/// The functions that libsaltus calls.
struct ClientBase::Calls
{
  /// A request: how its response is read, and what is called with it.
  struct Request
  {
    const rosidl_message_type_support_t * response;
    Outcome outcome;
  };
  /// A goal: how its feedback is read, and what is called with it.
  struct Feedback
  {
    const rosidl_message_type_support_t * message;
    OnFeedback callback;
  };

  static saltus_next_t on_response(void * context, saltus_status_t status, saltus_message_t * response)
  {
    return rclcpp::detail::guarded([&] {
               const Request & request = *static_cast<Request *>(context);
               if (status != SALTUS_OK) {
                 const std::string reason = rclcpp::detail::last_error();
                 request.outcome(nullptr, reason.c_str());
                 return;
               }
               const auto read = reader(
                 request.response, saltus_message_data(response), saltus_message_size(response));
               request.outcome(read, nullptr);
             });
  }

  static saltus_next_t on_feedback(void * context, const uint8_t * data, size_t size)
  {
    return rclcpp::detail::guarded([&] {
               const Feedback & feedback = *static_cast<Feedback *>(context);
               feedback.callback(reader(feedback.message, data, size));
             });
  }

  static saltus_next_t on_status(void * context, saltus_message_t * message)
  {
    return rclcpp::detail::guarded([&] {
               action_msgs::msg::GoalStatusArray states;
               const auto * support = rosidl_typesupport_cpp::get_message_type_support_handle<
                 action_msgs::msg::GoalStatusArray>();
               const char * fault = reader(support, saltus_message_data(message), saltus_message_size(message))(&states);
               auto & client = *static_cast<ClientBase *>(context);
               if (fault == nullptr) {
                 client.handle_status(states);
               } else {
                 RCLCPP_ERROR(client.logger_, "the states of goals can't be read: %s", fault);
               }
             });
  }

  template<typename T>
  static void drop(void * context) {delete static_cast<T *>(context);}

  static Read reader(const rosidl_message_type_support_t * handle, const uint8_t * data, size_t size)
  {
    const saltus::MessageSupport & support = rclcpp::detail::support_of(handle);
    return [&support, data, size](void * message) {return support.read(message, data, size);};
  }
};

ClientBase::ClientBase(
  rclcpp::node_interfaces::NodeBaseInterface * node_base, const rclcpp::Logger & logger, const std::string & action_name,
  const detail::ActionSupport & support, const rcl_action_client_options_t & options,
  const rclcpp::CallbackGroup::SharedPtr & group)
: node_(node_base->get_shared_saltus_node()), context_(node_base->get_context()), logger_(logger), support_(support),
  group_(group), status_qos_(options.status_topic_qos), state_(std::make_unique<State>())
{
  if (group && !node_base->callback_group_in_node(group)) {
    throw std::runtime_error("Cannot create action client, group not in node.");
  }
  const detail::Options given(action_name, support, options, group);
  state_->client = rclcpp::detail::created<saltus_action_client_t>(
    "could not create action client", [&](saltus_action_client_t ** place) {
      return saltus_action_client_create(node_.get(), &given.all, place);
    }, action_name);
}

void ClientBase::open_status()
{
  const std::string topic = std::string(saltus_action_client_name(state_->client)) + "/_action/status";
  const saltus_type_t type = rclcpp::detail::type_of(
    rclcpp::detail::support_of(
      rosidl_typesupport_cpp::get_message_type_support_handle<action_msgs::msg::GoalStatusArray>()));
  saltus_endpoint_options_t endpoint;
  saltus_endpoint_options_init(&endpoint, sizeof endpoint);
  endpoint.topic = topic.c_str();
  endpoint.type = &type;
  const saltus_qos_t qos = rclcpp::detail::to_saltus(status_qos_);
  endpoint.qos = &qos;
  endpoint.group = group_ ? group_->get_saltus_group() : nullptr;
  state_->status = rclcpp::detail::created<saltus_subscription_t>(
    "could not create action client", [&](saltus_subscription_t ** place) {
      return saltus_subscription_create_with_callback(node_.get(), &endpoint, &Calls::on_status, this, nullptr, place);
    }, topic);
}

ClientBase::~ClientBase() {close();}

void ClientBase::close()
{
  saltus_subscription_destroy(state_->status);
  saltus_action_client_destroy(state_->client);
  *state_ = State();
}

bool ClientBase::action_server_is_ready() const {return saltus_action_client_is_ready(state_->client);}

bool ClientBase::wait_for_action_server_nanoseconds(std::chrono::nanoseconds timeout)
{
  return saltus_action_client_wait(state_->client, timeout.count()) == SALTUS_OK;
}

GoalUUID ClientBase::generate_goal_id()
{
  GoalUUID id;
  // A std::random_device takes microseconds for so many bytes.
  if (getrandom(id.data(), id.size(), 0) != static_cast<ssize_t>(id.size())) {
    throw std::system_error(errno, std::generic_category(), "could not create the id of a goal");
  }
  return id;
}

void ClientBase::send_goal(const GoalUUID & id, const void * request, Outcome outcome)
{
  const auto bytes = detail::bytes_of(detail::request_of(support_.send_goal), request, "failed to send goal");
  const saltus_goal_id_t goal = detail::to_saltus(id);
  rclcpp::detail::check(
    saltus_action_client_send_goal(
      state_->client, &goal, bytes.data(), bytes.size(), &Calls::on_response,
      new Calls::Request{detail::response_of(support_.send_goal), std::move(outcome)}, &Calls::drop<Calls::Request>),
    "failed to send goal");
}

void ClientBase::on_feedback(const GoalUUID & id, OnFeedback callback)
{
  const saltus_goal_id_t goal = detail::to_saltus(id);
  rclcpp::detail::check(
    saltus_action_client_on_feedback(
      state_->client, &goal, &Calls::on_feedback, new Calls::Feedback{support_.feedback, std::move(callback)},
      &Calls::drop<Calls::Feedback>),
    "failed to receive feedback");
}

void ClientBase::forget_feedback(const GoalUUID & id)
{
  const saltus_goal_id_t goal = detail::to_saltus(id);
  saltus_action_client_forget_feedback(state_->client, &goal);
}

void ClientBase::get_result(const GoalUUID & id, Outcome outcome)
{
  const saltus_goal_id_t goal = detail::to_saltus(id);
  rclcpp::detail::check(
    saltus_action_client_get_result(
      state_->client, &goal, &Calls::on_response,
      new Calls::Request{detail::response_of(support_.get_result), std::move(outcome)}, &Calls::drop<Calls::Request>),
    "failed to request result");
}

void ClientBase::cancel(const GoalUUID & id, const rclcpp::Time & stamp, CancelOutcome outcome)
{
  const auto * support = rosidl_typesupport_cpp::get_service_type_support_handle<action_msgs::srv::CancelGoal>();
  auto then = [outcome](const Read & read, const char * failure) {
      auto response = std::make_shared<action_msgs::srv::CancelGoal::Response>();
      const char * reason = failure == nullptr ? read(response.get()) : failure;
      outcome(reason == nullptr ? response : nullptr, reason);
    };
  const saltus_goal_id_t goal = detail::to_saltus(id);
  rclcpp::detail::check(
    saltus_action_client_cancel(
      state_->client, &goal, stamp.nanoseconds(), &Calls::on_response,
      new Calls::Request{detail::response_of(support), std::move(then)}, &Calls::drop<Calls::Request>),
    "failed to request cancellation");
}

}  // namespace rclcpp_action
