// The action of the subject, and its goals at other servers.
#ifndef NATIVE__GOALS_HPP_
#define NATIVE__GOALS_HPP_

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "../outcome.hpp"
#include "example_interfaces/action/fibonacci.hpp"
#include "failure.hpp"
#include "saltus/saltus.hpp"

class Goals
{
public:
  using Fibonacci = example_interfaces::action::Fibonacci;
  using Goal = saltus::ServerGoal<Fibonacci>;
  using Client = saltus::ActionClient<Fibonacci>;

  explicit Goals(saltus::Node & node)
  : node_(node), server_(new_server()) {}

  static bool has(const std::string & command)
  {
    return command == "goal" || command == "send_goal" || command == "unknown_result";
  }

  std::string run(const Words & words)
  {
    if (words.at(0) == "goal") {
      return words.at(2) == "drop" ? drop(words.at(1)) : apply(words.at(1), words.at(2));
    }
    if (words.at(0) == "send_goal") {
      return send_goal(words.at(1), std::stoi(words.at(2)), seconds(words.at(3)));
    }
    return request_unknown_result(words.at(1));
  }

private:
  saltus::ActionServer<Fibonacci> new_server()
  {
    saltus::ActionServerOptions<Fibonacci> options;
    options.result_timeout = std::chrono::seconds(2);
    options.on_goal = [](const Fibonacci::Goal & goal) {
        return goal.order < 0 ? saltus::GoalResponse::reject :
               goal.order == 0 ? saltus::GoalResponse::defer : saltus::GoalResponse::accept;
      };
    options.on_cancel = [](const Fibonacci::Goal & goal) {return goal.order != 13;};
    return must(
      saltus::ActionServer<Fibonacci>::create(
        node_, "~/count", [this](Goal goal) {
          std::lock_guard<std::mutex> lock(mutex_);
          const std::string id = hexadecimal(goal.id());
          kept_[id] = std::make_shared<Goal>(std::move(goal));
          changed_.notify_all();
        }, options));
  }

  static std::string hexadecimal(const saltus_goal_id_t & id)
  {
    std::string text;
    for (const uint8_t byte : id.bytes) {
      char digits[3];
      std::snprintf(digits, sizeof digits, "%02x", byte);
      text += digits;
    }
    return text;
  }

  /// Returns a goal, or nothing. Waits for it for at most a second, because the callback of a goal that was just accepted may not
  /// have run yet.
  std::shared_ptr<Goal> get(const std::string & id)
  {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(1), [&] {return kept_.count(id) > 0;});
    const auto found = kept_.find(id);
    return found == kept_.end() ? nullptr : found->second;
  }

  /// Drops a goal, or all goals if the id is zero.
  std::string drop(const std::string & id)
  {
    const bool is_every = id.find_first_not_of('0') == std::string::npos;
    std::map<std::string, std::shared_ptr<Goal>> dropped;
    if (!is_every) {
      get(id);
    }
    std::lock_guard<std::mutex> lock(mutex_);
    if (is_every) {
      dropped.swap(kept_);
    } else {
      dropped.insert(kept_.extract(id));
    }
    return "";
  }

  /// Applies an event to a goal. Returns the state of the goal afterwards.
  std::string apply(const std::string & id, const std::string & event)
  {
    const auto goal = get(id);
    if (!goal) {
      throw Refused("no such goal");
    }
    Fibonacci::Result result;
    result.sequence = {1};
    Fibonacci::Feedback feedback;
    feedback.sequence = {1};
    const saltus::Status status =
      event == "execute" ? goal->execute() : event == "succeed" ? goal->succeed(result) :
      event == "abort" ? goal->abort(result) : event == "canceled" ? goal->canceled(result) :
      goal->publish_feedback(feedback);
    return status ? name_of(goal->status()) : throw Refused(name_of(goal->status()));
  }

  static std::string name_of(saltus::GoalStatus status)
  {
    switch (status) {
      case saltus::GoalStatus::accepted: return "ACCEPTED";
      case saltus::GoalStatus::executing: return "EXECUTING";
      case saltus::GoalStatus::canceling: return "CANCELING";
      case saltus::GoalStatus::succeeded: return "SUCCEEDED";
      case saltus::GoalStatus::canceled: return "CANCELED";
      default: return "ABORTED";
    }
  }

  /// The outcome of a goal, which an executor tells.
  class Awaited
  {
  public:
    Client::OnOutcome noting()
    {
      return [this](const saltus::Result<Client::Outcome> & outcome) {
               std::lock_guard<std::mutex> lock(mutex_);
               outcome_ = outcome;
               changed_.notify_all();
             };
    }

    /// Returns how the goal has ended.
    saltus::GoalEnd wait(std::chrono::nanoseconds timeout)
    {
      std::unique_lock<std::mutex> lock(mutex_);
      if (!changed_.wait_for(lock, timeout, [this] {return outcome_.has_value();})) {
        throw Refused("timeout");
      }
      return must(*outcome_).end;
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<saltus::Result<Client::Outcome>> outcome_;
  };

  Client new_client(const std::string & name, std::chrono::nanoseconds timeout)
  {
    auto client = must(Client::create(node_, name));
    // If there is no server, the next request says so.
    static_cast<void>(client.wait(timeout));
    return client;
  }

  static std::string word_of(saltus::GoalEnd end)
  {
    switch (end) {
      case saltus::GoalEnd::succeeded: return "succeeded";
      case saltus::GoalEnd::canceled: return "canceled";
      case saltus::GoalEnd::aborted: return "aborted";
      case saltus::GoalEnd::rejected: throw Refused("rejected");
      default: throw Refused("unknown_goal");
    }
  }

  std::string send_goal(const std::string & name, int32_t order, std::chrono::nanoseconds timeout)
  {
    // The client is destroyed first. Afterwards nothing is told.
    Awaited awaited;
    const Client client = new_client(name, timeout);
    Fibonacci::Goal goal;
    goal.order = order;
    must(client.send_goal(goal, awaited.noting()));
    // The client tells acceptance and result together.
    return word_of(awaited.wait(2 * timeout));
  }

  std::string request_unknown_result(const std::string & name)
  {
    Awaited awaited;
    const Client client = new_client(name, std::chrono::seconds(10));
    saltus_goal_id_t id;
    std::fill_n(id.bytes, sizeof id.bytes, uint8_t{7});
    must(client.request_outcome(id, awaited.noting()));
    return word_of(awaited.wait(std::chrono::seconds(10)));
  }

  saltus::Node & node_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::shared_ptr<Goal>> kept_;
  saltus::ActionServer<Fibonacci> server_;
};

#endif  // NATIVE__GOALS_HPP_
