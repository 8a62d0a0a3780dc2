// Actions: servers that execute goals, and their clients.
#ifndef SALTUS__ACTION_HPP_
#define SALTUS__ACTION_HPP_

#include <sys/random.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "saltus/service.hpp"

namespace saltus
{

/// How a goal has ended, or why it has no end.
enum class GoalEnd : uint8_t
{
  /// The server has rejected it.
  rejected = 0,
  /// The server does not know it, or not any more.
  unknown = 1,
  succeeded = SALTUS_GOAL_SUCCEEDED,
  canceled = SALTUS_GOAL_CANCELED,
  aborted = SALTUS_GOAL_ABORTED,
};

/// The state of a goal: a number of action_msgs/msg/GoalStatus.
enum class GoalStatus : int8_t
{
  /// There is no goal: the object was moved.
  unknown = 0,
  accepted = 1,
  executing = 2,
  canceling = 3,
  succeeded = 4,
  canceled = 5,
  aborted = 6,
};

/// What a server answers to a request to cancel a goal: a number of action_msgs/srv/CancelGoal.
enum class CancelAnswer : int8_t
{
  /// It cancels the goal.
  accepted = 0,
  rejected = 1,
  /// It does not know the goal. A server of Saltus cancels it if it comes later.
  unknown_goal = 2,
  /// The goal has ended already.
  goal_terminated = 3,
};

/// What a server decides on a goal.
enum class GoalResponse : uint8_t
{
  reject = SALTUS_GOAL_REJECT,
  accept = SALTUS_GOAL_EXECUTE,
  /// It is accepted, and begins with ServerGoal::execute().
  defer = SALTUS_GOAL_DEFER,
};

namespace detail
{

/// The types of an action, and the options that refer to them.
template<typename ActionT>
struct ActionOptions
{
  using Impl = typename ActionT::Impl;

  explicit ActionOptions(const std::string & name)
  : action(name), send_goal(service_type<typename Impl::SendGoalService>()),
    get_result(service_type<typename Impl::GetResultService>()),
    feedback(type_of(support<typename Impl::FeedbackMessage>()))
  {
    saltus_action_options_init(&all, sizeof all);
    all.action = action.c_str();
    all.send_goal = &send_goal;
    all.get_result = &get_result;
    all.feedback = &feedback;
  }
  ActionOptions(const ActionOptions &) = delete;
  ActionOptions & operator=(const ActionOptions &) = delete;

  const std::string action;
  const saltus_type_t send_goal;
  const saltus_type_t get_result;
  const saltus_type_t feedback;
  saltus_action_options_t all;
};

}  // namespace detail

/// A goal that a server has accepted. If it is destroyed before it has ended, it ends with the empty result: canceled if a client
/// wanted that, and aborted otherwise. May be used on any thread.
template<typename ActionT>
class ServerGoal
{
public:
  using Goal = typename ActionT::Goal;
  using Feedback = typename ActionT::Feedback;
  using ActionResult = typename ActionT::Result;

  const Goal & goal() const {return request_->goal;}
  saltus_goal_id_t id() const
  {
    saltus_goal_id_t id{};
    saltus_goal_id(handle_.get(), &id);
    return id;
  }
  GoalStatus status() const {return static_cast<GoalStatus>(saltus_goal_status(handle_.get()));}
  /// Whether a client wants the goal to be canceled. The program should then call canceled() soon.
  bool is_canceling() const {return status() == GoalStatus::canceling;}
  /// Begins a goal that was deferred.
  Status execute() const {return Status(saltus_goal_execute(handle_.get()));}
  Status publish_feedback(Feedback feedback) const
  {
    typename ActionT::Impl::FeedbackMessage message;
    message.feedback = std::move(feedback);
    const auto bytes = detail::bytes_of(message);
    return bytes ? Status(saltus_goal_publish_feedback(handle_.get(), bytes->data(), bytes->size())) : bytes.failure();
  }
  // Each of these ends the goal. It fails if the goal has ended already.
  Status succeed(ActionResult result) const {return end(GoalEnd::succeeded, std::move(result));}
  Status abort(ActionResult result) const {return end(GoalEnd::aborted, std::move(result));}
  /// Fails if no client wants the goal to be canceled.
  Status canceled(ActionResult result) const {return end(GoalEnd::canceled, std::move(result));}

private:
  template<typename>
  friend class ActionServer;
  using Handle = detail::Handle<saltus_goal_t, &saltus_goal_destroy>;
  using Request = typename ActionT::Impl::SendGoalService::Request;

  ServerGoal(Handle handle, std::unique_ptr<const Request> request)
  : handle_(std::move(handle)), request_(std::move(request)) {}

  Status end(GoalEnd how, ActionResult result) const
  {
    typename ActionT::Impl::GetResultService::Response response;
    response.result = std::move(result);
    const auto bytes = detail::bytes_of(response);
    if (!bytes) {
      return bytes.failure();
    }
    return Status(saltus_goal_end(handle_.get(), static_cast<saltus_goal_end_t>(how), bytes->data(), bytes->size()));
  }

  Handle handle_;
  std::unique_ptr<const Request> request_;
};

/// What an action server has besides its name and the callback that executes goals. Each field has a default.
template<typename ActionT>
struct ActionServerOptions
{
  /// Decides on a goal. By default each goal is accepted.
  std::function<GoalResponse(const typename ActionT::Goal &)> on_goal;
  /// Decides whether a client may cancel a goal. By default it may not.
  std::function<bool(const typename ActionT::Goal &)> on_cancel;
  /// How long a result is kept after its goal has ended. A negative time is for ever.
  std::chrono::nanoseconds result_timeout = std::chrono::seconds(10);
};

/// A server of an action. It ends when it is destroyed; clients that wait for results then learn it at once.
template<typename ActionT>
class ActionServer
{
public:
  /// An executor calls `execute` with each accepted goal, which takes a ServerGoal<ActionT>. It may execute the goal itself, or keep
  /// it for another thread or for timers.
  template<typename Execute>
  static Result<ActionServer> create(
    const Node & node, const std::string & action, Execute && execute, ActionServerOptions<ActionT> given = {},
    const Group & group = Group())
  {
    static_assert(
      std::is_invocable_v<std::decay_t<Execute> &, ServerGoal<ActionT>>, "an action executes a ServerGoal");
    detail::ActionOptions<ActionT> options(action);
    const auto empty = detail::bytes_of(typename ActionT::Impl::GetResultService::Response());
    if (!empty) {
      return empty.failure();
    }
    options.all.group = group.get();
    options.all.empty_result = empty->data();
    options.all.empty_result_size = empty->size();
    options.all.result_timeout = given.result_timeout.count();
    auto state = std::make_unique<State>(State{std::forward<Execute>(execute), std::move(given)});
    const saltus_action_functions_t functions{
      sizeof functions, &decide, &decide_cancel, &accept, state.release(), &detail::drop<State>};
    auto handle = detail::created<Handle>(
      [&](saltus_action_server_t ** place) {
        return saltus_action_server_create(node.get(), &options.all, &functions, place);
      });
    return handle ? Result<ActionServer>(ActionServer(std::move(*handle))) : Result<ActionServer>(handle.failure());
  }

  /// Returns how many goals have not ended.
  size_t goal_count() const {return saltus_action_server_goal_count(handle_.get());}

private:
  using Handle = detail::Handle<saltus_action_server_t, &saltus_action_server_destroy>;
  using Request = typename ActionT::Impl::SendGoalService::Request;

  struct State
  {
    std::function<void (ServerGoal<ActionT>)> execute;
    ActionServerOptions<ActionT> options;
  };

  /// Returns the request of a goal, or nothing if it can't be read, which is logged.
  static std::unique_ptr<Request> read(const uint8_t * data, size_t size)
  {
    auto request = std::make_unique<Request>();
    const char * fault = detail::support<Request>().read(request.get(), data, size);
    if (fault != nullptr) {
      detail::warn_of_drop<Request>(fault);
      return nullptr;
    }
    return request;
  }
  static std::unique_ptr<Request> read(const saltus_goal_t * goal)
  {
    size_t size = 0;
    const uint8_t * data = saltus_goal_request(goal, &size);
    return read(data, size);
  }

  /// A goal that can't be read is rejected.
  static saltus_next_t decide(
    void * context, const saltus_goal_id_t *, const uint8_t * data, size_t size, saltus_goal_decision_t * decision) noexcept
  {
    const auto & on_goal = static_cast<State *>(context)->options.on_goal;
    const auto request = read(data, size);
    if (request) {
      const GoalResponse response = on_goal ? on_goal(request->goal) : GoalResponse::accept;
      *decision = static_cast<saltus_goal_decision_t>(response);
    }
    return SALTUS_CONTINUE;
  }

  static saltus_next_t decide_cancel(void * context, const saltus_goal_t * goal, bool * accepts) noexcept
  {
    const auto & on_cancel = static_cast<State *>(context)->options.on_cancel;
    const auto request = on_cancel ? read(goal) : nullptr;
    *accepts = request && on_cancel(request->goal);
    return SALTUS_CONTINUE;
  }

  static saltus_next_t accept(void * context, saltus_goal_t * goal) noexcept
  {
    typename ServerGoal<ActionT>::Handle owner(goal);
    auto request = read(goal);
    if (request) {
      static_cast<State *>(context)->execute(ServerGoal<ActionT>(std::move(owner), std::move(request)));
    }
    return SALTUS_CONTINUE;
  }

  explicit ActionServer(Handle handle)
  : handle_(std::move(handle)) {}

  Handle handle_;
};

/// How a goal has ended, with its result.
template<typename ActionT>
struct GoalOutcome
{
  GoalEnd end;
  /// The result of the server; it is empty if the goal was rejected or is unknown.
  typename ActionT::Result result;
};

/// A goal that a client has sent.
class SentGoal
{
public:
  const saltus_goal_id_t & id() const {return id_;}

private:
  template<typename>
  friend class ActionClient;

  explicit SentGoal(const saltus_goal_id_t & id)
  : id_(id) {}

  saltus_goal_id_t id_;
};

/// A client of an action. May be used on any thread. Its callbacks run in an executor.
template<typename ActionT>
class ActionClient
{
public:
  using Goal = typename ActionT::Goal;
  using Feedback = typename ActionT::Feedback;
  using Outcome = GoalOutcome<ActionT>;
  /// Called once with the outcome of a goal, or with the reason why there is none.
  using OnOutcome = std::function<void (Result<Outcome>)>;
  /// Called with each feedback message of a goal, all before the outcome. One that can't be read is logged.
  using OnFeedback = std::function<void (const Feedback &)>;
  /// Called once with the answer to a request to cancel a goal, or with the reason why there is none.
  using OnCancelAnswer = std::function<void (const Result<CancelAnswer> &)>;

  static Result<ActionClient> create(const Node & node, const std::string & action, const Group & group = Group())
  {
    detail::ActionOptions<ActionT> options(action);
    options.all.group = group.get();
    auto handle = detail::created<Handle>(
      [&](saltus_action_client_t ** place) {return saltus_action_client_create(node.get(), &options.all, place);});
    return handle ? Result<ActionClient>(ActionClient(std::move(*handle))) : Result<ActionClient>(handle.failure());
  }

  /// Waits until there is a server. Fails after the timeout. A negative timeout is none.
  Status wait(std::chrono::nanoseconds timeout) const
  {
    return Status(saltus_action_client_wait(handle_.get(), timeout.count()));
  }

  /// Sends a goal. If this fails, no callback is called.
  Result<SentGoal> send_goal(Goal goal, OnOutcome on_outcome, OnFeedback on_feedback = nullptr) const
  {
    saltus_goal_id_t id;
    if (getrandom(id.bytes, sizeof id.bytes, 0) != static_cast<ssize_t>(sizeof id.bytes)) {
      return Status(SALTUS_ERROR, "could not create the id of a goal");
    }
    typename ActionT::Impl::SendGoalService::Request request;
    request.goal = std::move(goal);
    const auto bytes = detail::bytes_of(request);
    if (!bytes) {
      return bytes.failure();
    }
    if (on_feedback) {
      const Status status(
        saltus_action_client_on_feedback(
          handle_.get(), &id, &receive_feedback, detail::owned(std::move(on_feedback)), &detail::drop<OnFeedback>));
      if (!status) {
        return status;
      }
    }
    auto pending = std::make_shared<Pending>(Pending{handle_.get(), id, std::move(on_outcome), true});
    const Status status(
      saltus_action_client_send_goal(
        handle_.get(), &id, bytes->data(), bytes->size(), &receive_acceptance, detail::owned(pending),
        &detail::drop<Shared>));
    if (!status) {
      saltus_action_client_forget_feedback(handle_.get(), &id);
      return status;
    }
    return SentGoal(id);
  }

  /// Requests the outcome of a goal, which may be one of another client. If this fails, no callback is called.
  Status request_outcome(const saltus_goal_id_t & id, OnOutcome on_outcome) const
  {
    return request_outcome(std::make_shared<Pending>(Pending{handle_.get(), id, std::move(on_outcome), false}));
  }

  /// Requests to cancel a goal. The outcome of the goal says whether it was canceled. If this fails, no callback is called.
  Status cancel(const SentGoal & goal, OnCancelAnswer on_answer = nullptr) const
  {
    return Status(
      saltus_action_client_cancel(
        handle_.get(), &goal.id(), 0, &receive_cancel_answer, detail::owned(std::move(on_answer)),
        &detail::drop<OnCancelAnswer>));
  }

private:
  using Handle = detail::Handle<saltus_action_client_t, &saltus_action_client_destroy>;

  /// A goal whose outcome has not come. The client outlives it: no callback is called after its end.
  struct Pending
  {
    saltus_action_client_t * client;
    saltus_goal_id_t id;
    OnOutcome on_outcome;
    /// Whether its feedback ends with it.
    bool has_feedback;

    void end(Result<Outcome> outcome) const
    {
      if (has_feedback) {
        saltus_action_client_forget_feedback(client, &id);
      }
      on_outcome(std::move(outcome));
    }
  };
  using Shared = std::shared_ptr<Pending>;

  static Status request_outcome(const Shared & pending)
  {
    return Status(
      saltus_action_client_get_result(
        pending->client, &pending->id, &receive_result, detail::owned(pending), &detail::drop<Shared>));
  }

  static saltus_next_t receive_feedback(void * context, const uint8_t * data, size_t size) noexcept
  {
    typename ActionT::Impl::FeedbackMessage message;
    const char * fault = detail::support<typename ActionT::Impl::FeedbackMessage>().read(&message, data, size);
    if (fault == nullptr) {
      (*static_cast<OnFeedback *>(context))(message.feedback);
    } else {
      detail::warn_of_drop<typename ActionT::Impl::FeedbackMessage>(fault);
    }
    return SALTUS_CONTINUE;
  }

  static saltus_next_t receive_cancel_answer(void * context, saltus_status_t status, saltus_message_t * message) noexcept
  {
    const auto & on_answer = *static_cast<OnCancelAnswer *>(context);
    if (!on_answer) {
      return SALTUS_CONTINUE;
    }
    if (status != SALTUS_OK) {
      on_answer(Status(status));
      return SALTUS_CONTINUE;
    }
    const auto response = detail::message_of<typename ActionT::Impl::CancelGoalService::Response>(message);
    if (!response) {
      on_answer(response.failure());
    } else if (response->return_code == 0 && response->goals_canceling.empty()) {
      // Some servers, such as those of rclpy, refuse without a code.
      on_answer(CancelAnswer::rejected);
    } else {
      on_answer(static_cast<CancelAnswer>(response->return_code));
    }
    return SALTUS_CONTINUE;
  }

  static saltus_next_t receive_acceptance(void * context, saltus_status_t status, saltus_message_t * response) noexcept
  {
    const Shared & pending = *static_cast<Shared *>(context);
    if (status != SALTUS_OK) {
      pending->end(Status(status));
      return SALTUS_CONTINUE;
    }
    bool is_accepted = false;
    int64_t stamp = 0;
    const Status read(saltus_goal_response_read(response, &is_accepted, &stamp));
    if (!read) {
      pending->end(read);
    } else if (!is_accepted) {
      pending->end(Outcome{GoalEnd::rejected, typename ActionT::Result()});
    } else {
      const Status requested = request_outcome(pending);
      if (!requested) {
        pending->end(requested);
      }
    }
    return SALTUS_CONTINUE;
  }

  static saltus_next_t receive_result(void * context, saltus_status_t status, saltus_message_t * message) noexcept
  {
    const Shared & pending = *static_cast<Shared *>(context);
    if (status != SALTUS_OK) {
      pending->end(Status(status));
      return SALTUS_CONTINUE;
    }
    auto response = detail::message_of<typename ActionT::Impl::GetResultService::Response>(message);
    if (!response) {
      pending->end(response.failure());
    } else if (response->status < SALTUS_GOAL_SUCCEEDED) {
      pending->end(Outcome{GoalEnd::unknown, typename ActionT::Result()});
    } else {
      pending->end(Outcome{static_cast<GoalEnd>(response->status), std::move(response->result)});
    }
    return SALTUS_CONTINUE;
  }

  explicit ActionClient(Handle handle)
  : handle_(std::move(handle)) {}

  Handle handle_;
};

}  // namespace saltus

#endif  // SALTUS__ACTION_HPP_
