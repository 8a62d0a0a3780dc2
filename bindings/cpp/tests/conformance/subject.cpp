// The subject of the C++ packages; tests/conformance/README.md describes it.
#include <condition_variable>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "containers.hpp"
#include "example_interfaces/action/fibonacci.hpp"
#include "example_interfaces/srv/add_two_ints.hpp"
#include "lifecycles.hpp"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_action/rclcpp_action.hpp"
#include "saltus_conformance_msgs/srv/command.hpp"
#include "topics.hpp"

using AddTwoInts = example_interfaces::srv::AddTwoInts;
using Command = saltus_conformance_msgs::srv::Command;
using Fibonacci = example_interfaces::action::Fibonacci;
using Goal = rclcpp_action::ServerGoalHandle<Fibonacci>;

namespace
{

/// Returns the word for the failure of a call.
std::string call_word(const std::string & text)
{
  return contains(text, "no server") ? "no_server" :
         contains(text, "closed or died") ? "server_gone" :
         contains(text, "dropped the request") ? "not_answered" : text;
}

/// Returns the word for the reason why a parameter was not set.
std::string reason_word(const std::string & text)
{
  return contains(text, "seven is not allowed") ? "rejected" :
         contains(text, "range") || contains(text, "step") ? "range" :
         contains(text, "read-only") || contains(text, "read only") ? "read_only" :
         contains(text, "type") ? "type" : text;
}

/// Waits for a future.
/// \throws Refused with the word for the failure
template<typename Future>
auto value_of(Future & future, std::chrono::nanoseconds timeout)
{
  if (future.wait_for(timeout) != std::future_status::ready) {
    throw Refused("timeout");
  }
  try {
    return future.get();
  } catch (const std::runtime_error & error) {
    throw Refused(call_word(error.what()));
  }
}

/// Runs something that sends a request.
/// \throws Refused with the word for the failure
template<typename Send>
auto sent(Send send)
{
  try {
    return send();
  } catch (const rclcpp::exceptions::RCLError & error) {
    throw Refused(call_word(error.what()));
  }
}

}  // namespace

/// The goals that only a command of the suite ends.
class Kept
{
public:
  void insert(const std::shared_ptr<Goal> & goal)
  {
    std::lock_guard<std::mutex> lock(mutex_);
    goals_[rclcpp_action::to_string(goal->get_goal_id())] = goal;
    changed_.notify_all();
  }

  /// Returns a goal. Waits for it for at most a second, because the callback of a goal that was just accepted may not have run
  /// yet.
  std::shared_ptr<Goal> get(const std::string & id)
  {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(1), [&] {return goals_.count(id) > 0;});
    const auto found = goals_.find(id);
    return found == goals_.end() ? nullptr : found->second;
  }

  /// Drops a goal, or all goals if the id is zero.
  void drop(const std::string & id)
  {
    std::map<std::string, std::shared_ptr<Goal>> dropped;
    if (id.find_first_not_of('0') != std::string::npos) {
      get(id);
    }
    std::lock_guard<std::mutex> lock(mutex_);
    if (id.find_first_not_of('0') == std::string::npos) {
      dropped.swap(goals_);
    } else {
      dropped.insert(goals_.extract(id));
    }
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::shared_ptr<Goal>> goals_;
};

class Subject : public rclcpp::Node
{
public:
  explicit Subject(rclcpp::Executor & executor)
  : Node("subject"), executor_(executor), topics_(*this),
    lifecycles_(
      [&executor](const std::string & name) {
        auto node = std::make_shared<Planned>(name);
        executor.add_node(node->get_node_base_interface());
        return node;
      }),
    // Commands wait for other callbacks, and other callbacks wait for commands. So commands have their own group.
    group_(create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive))
  {
    open_services();
    open_action();
    declare();
    command_ = create_service<Command>(
      "~/command", [this](const Command::Request::SharedPtr request, Command::Response::SharedPtr response) {
        try {
          response->text = run(request->words);
          response->ok = true;
        } catch (const std::exception & error) {
          response->text = error.what();
          response->ok = false;
        }
      }, rclcpp::ServicesQoS(), group_);
  }

private:
  void open_services()
  {
    add_ = create_service<AddTwoInts>(
      "~/add", [](const AddTwoInts::Request::SharedPtr request, AddTwoInts::Response::SharedPtr response) {
        response->sum = static_cast<int64_t>(static_cast<uint64_t>(request->a) + static_cast<uint64_t>(request->b));
      });
    hold_ = create_service<AddTwoInts>(
      "~/hold",
      [](const std::shared_ptr<rclcpp::Service<AddTwoInts>> service, const std::shared_ptr<rmw_request_id_t> id,
      const AddTwoInts::Request::SharedPtr request) {
        if (request->b == 1) {
          // An exception drops the request: the client learns at once that there is no response.
          throw Dropped();
        }
        if (request->b != 0) {
          std::thread(
            [service, id, sum = request->a] {
              AddTwoInts::Response response;
              response.sum = sum;
              service->send_response(*id, response);
            }).detach();
        }
      });
  }

  void open_action()
  {
    rcl_action_server_options_t options = rcl_action_server_get_default_options();
    options.result_timeout.nanoseconds = RCL_S_TO_NS(2);
    count_ = rclcpp_action::create_server<Fibonacci>(
      this, "~/count",
      [](const rclcpp_action::GoalUUID &, std::shared_ptr<const Fibonacci::Goal> goal) {
        return goal->order < 0 ? rclcpp_action::GoalResponse::REJECT :
               goal->order == 0 ? rclcpp_action::GoalResponse::ACCEPT_AND_DEFER :
               rclcpp_action::GoalResponse::ACCEPT_AND_EXECUTE;
      },
      [](std::shared_ptr<Goal> goal) {
        return goal->get_goal()->order == 13 ? rclcpp_action::CancelResponse::REJECT :
               rclcpp_action::CancelResponse::ACCEPT;
      },
      [this](std::shared_ptr<Goal> goal) {kept_.insert(goal);}, options);
  }

  void declare()
  {
    rcl_interfaces::msg::ParameterDescriptor rate;
    rate.description = "how often";
    rate.floating_point_range.resize(1);
    rate.floating_point_range[0].to_value = 100.0;
    rate.floating_point_range[0].step = 0.5;
    declare_parameter("rate", 10.0, rate);
    rcl_interfaces::msg::ParameterDescriptor count;
    count.integer_range.resize(1);
    count.integer_range[0].to_value = 10;
    declare_parameter("count", 5, count);
    rcl_interfaces::msg::ParameterDescriptor serial;
    serial.read_only = true;
    declare_parameter("serial", "X1", serial);
    rcl_interfaces::msg::ParameterDescriptor free;
    free.dynamic_typing = true;
    declare_parameter("free", 1, free);
    declare_parameter("unset", rclcpp::ParameterType::PARAMETER_BOOL);
    declare_parameter("arm.joint.name", "elbow");
    checked_ = add_on_set_parameters_callback(
      [](const std::vector<rclcpp::Parameter> & parameters) {
        rcl_interfaces::msg::SetParametersResult result;
        result.successful = true;
        for (const rclcpp::Parameter & parameter : parameters) {
          if (parameter == rclcpp::Parameter("count", 7)) {
            result.successful = false;
            result.reason = "seven is not allowed";
          }
        }
        return result;
      });
  }

  std::string run(const Words & words)
  {
    const std::string & command = words.at(0);
    if (command == "goal") {
      return apply(words.at(1), words.at(2));
    } else if (command == "call") {
      return call(words.at(1), seconds(words.at(2)));
    } else if (command == "send_goal") {
      return send_goal(words.at(1), std::stoi(words.at(2)), seconds(words.at(3)));
    } else if (command == "unknown_result") {
      return request_unknown_result(words.at(1));
    } else if (command == "container") {
      // The executor is on the stack of main(), so the pointer does not own it.
      executor_pointer_ = std::shared_ptr<rclcpp::Executor>(&executor_, [](rclcpp::Executor *) {});
      auto container = std::make_shared<Container>(executor_pointer_, words.at(1));
      executor_.add_node(container);
      containers_.push_back(container);
      return "";
    } else if (command == "declare" || command == "get" || command == "set" || command == "undeclare") {
      return parameter(words);
    }
    return Lifecycles<Planned>::has(command) ? lifecycles_.run(words) : topics_.run(words);
  }

  std::string parameter(const Words & words)
  {
    const std::string & name = words.at(1);
    try {
      if (words.at(0) == "declare") {
        declare_parameter(name, 1);
      } else if (words.at(0) == "get") {
        return get_parameter(name).value_to_string();
      } else if (words.at(0) == "undeclare") {
        undeclare_parameter(name);
      } else {
        const auto result = set_parameter(rclcpp::Parameter(name, int64_t{std::stoll(words.at(2))}));
        if (!result.successful) {
          throw Refused(reason_word(result.reason));
        }
      }
    } catch (const rclcpp::exceptions::InvalidParametersException &) {
      throw Refused("bad_name");
    } catch (const rclcpp::exceptions::ParameterAlreadyDeclaredException &) {
      throw Refused("already_declared");
    } catch (const rclcpp::exceptions::ParameterNotDeclaredException &) {
      throw Refused("not_declared");
    } catch (const rclcpp::exceptions::ParameterUninitializedException &) {
      throw Refused("not_initialized");
    } catch (const rclcpp::exceptions::ParameterImmutableException &) {
      throw Refused("read_only");
    } catch (const rclcpp::exceptions::InvalidParameterTypeException &) {
      throw Refused("type");
    }
    return "";
  }

  /// Applies an event to a goal. Returns the state of the goal afterwards.
  std::string apply(const std::string & id, const std::string & event)
  {
    if (event == "drop") {
      kept_.drop(id);
      return "";
    }
    const auto goal = kept_.get(id);
    if (!goal) {
      throw Refused("no such goal");
    }
    auto result = std::make_shared<Fibonacci::Result>();
    result->sequence = {1};
    auto feedback = std::make_shared<Fibonacci::Feedback>();
    feedback->sequence = {1};
    try {
      if (event == "execute") {
        goal->execute();
      } else if (event == "succeed") {
        goal->succeed(result);
        ends_[id] = "SUCCEEDED";
      } else if (event == "abort") {
        goal->abort(result);
        ends_[id] = "ABORTED";
      } else if (event == "canceled") {
        goal->canceled(result);
        ends_[id] = "CANCELED";
      } else {
        goal->publish_feedback(feedback);
      }
    } catch (const rclcpp::exceptions::RCLError &) {
      throw Refused(state_of(*goal, id));
    }
    return state_of(*goal, id);
  }

  std::string state_of(const Goal & goal, const std::string & id)
  {
    return !goal.is_active() ? ends_[id] :
           goal.is_canceling() ? "CANCELING" :
           goal.is_executing() ? "EXECUTING" : "ACCEPTED";
  }

  std::string call(const std::string & name, std::chrono::nanoseconds timeout)
  {
    auto client = create_client<AddTwoInts>(name);
    client->wait_for_service(timeout);
    auto request = std::make_shared<AddTwoInts::Request>();
    request->a = 2;
    request->b = 40;
    auto future = sent([&] {return client->async_send_request(request);});
    return std::to_string(value_of(future.future, timeout)->sum);
  }

  std::string send_goal(const std::string & name, int32_t order, std::chrono::nanoseconds timeout)
  {
    auto client = rclcpp_action::create_client<Fibonacci>(this, name);
    client->wait_for_action_server(timeout);
    Fibonacci::Goal goal;
    goal.order = order;
    auto accepted = sent([&] {return client->async_send_goal(goal);});
    const auto handle = value_of(accepted, timeout);
    if (!handle) {
      throw Refused("rejected");
    }
    auto result = client->async_get_result(handle);
    switch (value_of(result, timeout).code) {
      case rclcpp_action::ResultCode::SUCCEEDED: return "succeeded";
      case rclcpp_action::ResultCode::CANCELED: return "canceled";
      case rclcpp_action::ResultCode::ABORTED: return "aborted";
      default: throw Refused("unknown_goal");
    }
  }

  /// Requests the result of a goal that nobody has sent. A client of an action knows only its own goals, so a client of the
  /// service does it.
  std::string request_unknown_result(const std::string & name)
  {
    using GetResult = Fibonacci::Impl::GetResultService;
    auto client = create_client<GetResult>(name + "/_action/get_result");
    client->wait_for_service(std::chrono::seconds(10));
    auto request = std::make_shared<GetResult::Request>();
    request->goal_id.uuid.fill(7);
    auto future = sent([&] {return client->async_send_request(request);});
    const auto response = value_of(future.future, std::chrono::seconds(10));
    throw Refused(response->status == rclcpp_action::GoalStatus::STATUS_UNKNOWN ? "unknown_goal" : "a known goal");
  }

public:
  /// What ~/hold throws to drop a request.
  struct Dropped : std::exception {};

private:
  rclcpp::Executor & executor_;
  std::shared_ptr<rclcpp::Executor> executor_pointer_;
  Topics topics_;
  Lifecycles<Planned> lifecycles_;
  std::vector<std::shared_ptr<Container>> containers_;
  Kept kept_;
  std::map<std::string, std::string> ends_;
  rclcpp::CallbackGroup::SharedPtr group_;
  rclcpp::Service<AddTwoInts>::SharedPtr add_;
  rclcpp::Service<AddTwoInts>::SharedPtr hold_;
  rclcpp_action::Server<Fibonacci>::SharedPtr count_;
  rclcpp::Service<Command>::SharedPtr command_;
  OnSetParametersCallbackHandle::SharedPtr checked_;
};

int main(int argc, char * argv[])
{
  rclcpp::init(argc, argv);
  rclcpp::executors::MultiThreadedExecutor executor(rclcpp::ExecutorOptions(), 2);
  auto subject = std::make_shared<Subject>(executor);
  executor.add_node(subject);
  std::thread(
    [] {
      // The suite closes the standard input at its end.
      std::cin.ignore(std::numeric_limits<std::streamsize>::max());
      rclcpp::shutdown();
    }).detach();
  std::cout << "ready" << std::endl;
  while (rclcpp::ok()) {
    try {
      executor.spin();
    } catch (const Subject::Dropped &) {
      // The request was dropped as the suite wants it.
    }
  }
}
