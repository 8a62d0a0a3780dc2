// The subject of the C++ API (saltus/saltus.hpp); tests/conformance/README.md describes it.
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../outcome.hpp"
#include "containers.hpp"
#include "example_interfaces/srv/add_two_ints.hpp"
#include "failure.hpp"
#include "goals.hpp"
#include "lifecycles.hpp"
#include "parameters.hpp"
#include "saltus/saltus.hpp"
#include "saltus_conformance_msgs/srv/command.hpp"
#include "topics.hpp"

using AddTwoInts = example_interfaces::srv::AddTwoInts;
using Command = saltus_conformance_msgs::srv::Command;

namespace
{

AddTwoInts::Response sum_of(const AddTwoInts::Request & request)
{
  AddTwoInts::Response response;
  response.sum = static_cast<int64_t>(static_cast<uint64_t>(request.a) + static_cast<uint64_t>(request.b));
  return response;
}

class Subject
{
public:
  Subject(saltus::Context & context, saltus::Node & node, saltus::Executor & executor)
  : context_(context), node_(node), executor_(executor), topics_(node), goals_(node), parameters_(node),
    lifecycles_(
      [&context, &executor](const std::string & name) {
        auto planned = std::make_shared<Planned>(context, name);
        must(executor.add_node(planned->node()));
        return planned;
      }),
    // Commands wait for other callbacks, and other callbacks wait for commands. So commands have their own group.
    group_(node.group(saltus::GroupKind::exclusive).or_exit()),
    add_(saltus::Server<AddTwoInts>::create(node, "~/add", &sum_of).or_exit()),
    hold_(
      saltus::Server<AddTwoInts>::create(
        node, "~/hold", [this](const AddTwoInts::Request & request, saltus::Responder<AddTwoInts> responder) {
          hold(request, std::move(responder));
        }).or_exit()),
    command_(
      saltus::Server<Command>::create(
        node, "~/command", [this](const Command::Request & request) {return answer(request.words);}, group_).or_exit()) {}

private:
  void hold(const AddTwoInts::Request & request, saltus::Responder<AddTwoInts> responder)
  {
    if (request.b == 0) {
      kept_.push_back(std::move(responder));
    } else if (request.b != 1) {
      std::thread(
        [sum = request.a, responder = std::move(responder)]() mutable {
          AddTwoInts::Response response;
          response.sum = sum;
          // The client may have gone.
          static_cast<void>(std::move(responder).respond(response));
        }).detach();
    }
  }

  Command::Response answer(const Words & words)
  {
    Command::Response response;
    try {
      response.text = run(words);
      response.ok = true;
    } catch (const std::exception & error) {
      response.text = error.what();
    }
    return response;
  }

  std::string run(const Words & words)
  {
    const std::string & command = words.at(0);
    if (command == "call") {
      return call(words.at(1), seconds(words.at(2)));
    } else if (command == "container") {
      containers_.push_back(std::make_unique<Container>(context_, executor_, words.at(1)));
      return "";
    }
    return Goals::has(command) ? goals_.run(words) :
           Parameters::has(command) ? parameters_.run(words) :
           Lifecycles<Planned>::has(command) ? lifecycles_.run(words) : topics_.run(words);
  }

  std::string call(const std::string & name, std::chrono::nanoseconds timeout)
  {
    const auto client = must(saltus::Client<AddTwoInts>::create(node_, name));
    // If there is no server, the call says so.
    static_cast<void>(client.wait(timeout));
    AddTwoInts::Request request;
    request.a = 2;
    request.b = 40;
    return std::to_string(must(client.call(request, timeout)).sum);
  }

  saltus::Context & context_;
  saltus::Node & node_;
  saltus::Executor & executor_;
  std::vector<std::unique_ptr<Container>> containers_;
  Topics topics_;
  Goals goals_;
  Parameters parameters_;
  Lifecycles<Planned> lifecycles_;
  std::vector<saltus::Responder<AddTwoInts>> kept_;
  saltus::Group group_;
  saltus::Server<AddTwoInts> add_;
  saltus::Server<AddTwoInts> hold_;
  saltus::Server<Command> command_;
};

}  // namespace

int main(int argc, char * argv[])
{
  auto context = saltus::Context::create(argc, argv).or_exit();
  auto node = context.node("subject").or_exit();
  auto executor = saltus::Executor::create(context, 2).or_exit();
  executor.add_node(node).or_exit();
  Subject subject(context, node, executor);
  std::thread input(
    [&context] {
      // The suite closes the standard input at its end. A signal shuts the context down, too.
      pollfd end{STDIN_FILENO, POLLIN, 0};
      char bytes[64];
      while (context.is_ok()) {
        if (poll(&end, 1, 100) > 0 && read(STDIN_FILENO, bytes, sizeof bytes) <= 0) {
          context.shut_down();
        }
      }
    });
  std::puts("ready");
  std::fflush(stdout);
  executor.spin().or_exit();
  input.join();
}
