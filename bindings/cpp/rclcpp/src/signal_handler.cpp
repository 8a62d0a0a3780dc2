#include "signal_handler.hpp"

#include <semaphore.h>

#include <algorithm>
#include <csignal>
#include <mutex>
#include <thread>
#include <vector>

namespace rclcpp
{
namespace
{

/// The contexts that exist.
struct Contexts
{
  std::mutex mutex;
  std::vector<std::weak_ptr<Context>> all;
};

/// They are never destroyed, because a signal may come at any time.
Contexts & all_contexts()
{
  static auto * contexts = new Contexts();
  return *contexts;
}

/// A signal that has a handler of its own, and what it had before.
struct Replaced
{
  int number;
  bool is_replaced;
  struct sigaction before;
};

Replaced replaced[] = {{SIGINT, false, {}}, {SIGTERM, false, {}}};

/// Counts the signals that have come. A signal handler may do no more than that.
sem_t * signals()
{
  static sem_t * semaphore = [] {
      auto * created = new sem_t;
      sem_init(created, 0, 0);
      return created;
    }();
  return semaphore;
}

void handle(int number)
{
  sem_post(signals());
  for (const Replaced & one : replaced) {
    const auto before = one.before.sa_handler;
    if (one.number == number && before != SIG_DFL && before != SIG_IGN && (one.before.sa_flags & SA_SIGINFO) == 0) {
      before(number);
    }
  }
}

void replace(Replaced & one)
{
  struct sigaction action {};
  action.sa_handler = &handle;
  one.is_replaced = !one.is_replaced && sigaction(one.number, &action, &one.before) == 0;
}

}  // namespace

void SignalHandler::install(bool interrupt, bool terminate)
{
  // The thread never ends, because a signal may come at any time.
  static std::once_flag is_started;
  std::call_once(is_started, [] {
      signals();
      std::thread([] {
        while (true) {
          if (sem_wait(signals()) == 0) {
            run();
          }
        }
      }).detach();
    });
  if (interrupt) {
    replace(replaced[0]);
  }
  if (terminate) {
    replace(replaced[1]);
  }
}

void SignalHandler::uninstall()
{
  for (Replaced & one : replaced) {
    if (one.is_replaced) {
      sigaction(one.number, &one.before, nullptr);
      one.is_replaced = false;
    }
  }
}

void SignalHandler::on_signal(void *) {std::thread(&SignalHandler::run).detach();}

void SignalHandler::add(const Context::SharedPtr & context)
{
  std::lock_guard<std::mutex> lock(all_contexts().mutex);
  all_contexts().all.push_back(context);
}

void SignalHandler::remove(const Context * context)
{
  std::lock_guard<std::mutex> lock(all_contexts().mutex);
  auto & all = all_contexts().all;
  const auto is_it = [context](const std::weak_ptr<Context> & other) {
      const auto locked = other.lock();
      return !locked || locked.get() == context;
    };
  all.erase(std::remove_if(all.begin(), all.end(), is_it), all.end());
}

void SignalHandler::run()
{
  std::vector<std::weak_ptr<Context>> all;
  {
    std::lock_guard<std::mutex> lock(all_contexts().mutex);
    all = all_contexts().all;
  }
  for (const auto & weak : all) {
    const auto context = weak.lock();
    if (context && context->get_init_options().shutdown_on_signal) {
      context->shutdown(context->get_init_options().shutdown_reason);
    }
  }
}

}  // namespace rclcpp
