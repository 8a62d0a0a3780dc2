#include "signal_handler.hpp"

#include <algorithm>
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
Contexts & contexts()
{
  static auto * contexts = new Contexts();
  return *contexts;
}

}  // namespace

void SignalHandler::on_signal(void *) {std::thread(&SignalHandler::run).detach();}

void SignalHandler::add(const Context::SharedPtr & context)
{
  std::lock_guard<std::mutex> lock(contexts().mutex);
  contexts().all.push_back(context);
}

void SignalHandler::remove(const Context * context)
{
  std::lock_guard<std::mutex> lock(contexts().mutex);
  auto & all = contexts().all;
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
    std::lock_guard<std::mutex> lock(contexts().mutex);
    all = contexts().all;
  }
  for (const auto & weak : all) {
    const auto context = weak.lock();
    if (context && context->get_init_options().shutdown_on_signal) {
      context->shutdown(context->get_init_options().shutdown_reason);
    }
  }
}

}  // namespace rclcpp
