#include "rclcpp/executor.hpp"

#include <algorithm>
#include <mutex>
#include <ostream>
#include <thread>
#include <utility>

#include "libsaltus.hpp"
#include "node_core.hpp"
#include "rclcpp/executors.hpp"
#include "rclcpp/logging.hpp"

namespace rclcpp
{
namespace
{

/// How long a spin waits at most before it looks at a future again. Another thread may complete the future, and that wakes
/// nobody.
constexpr auto FUTURE_SLICE = std::chrono::milliseconds(5);

/// What a program does instead of spinning its own node in a callback.
constexpr auto ADVICE =
  "A callback can't spin its own node: use another executor with a callback group of its own, or wait for the future in another thread";

using Handle = std::shared_ptr<saltus_executor_t>;

Handle new_executor(const Context::SharedPtr & context, size_t threads)
{
  saltus_executor_options_t options;
  saltus_executor_options_init(&options, sizeof options);
  options.threads = threads;
  auto * handle = detail::created<saltus_executor_t>(
    "failed to create an executor", [&](saltus_executor_t ** place) {
      return saltus_executor_create(context->get_saltus_context(), &options, place);
    });
  return detail::shared(handle, &saltus_executor_destroy);
}

/// Returns a duration for libsaltus, where 0 is no limit.
int64_t limit_of(std::chrono::nanoseconds duration) {return duration.count() == 0 ? -1 : duration.count();}

}  // namespace

/// What an executor has.
struct Executor::State
{
  Context::SharedPtr context;
  /// Runs callbacks on the thread that spins.
  Handle single;
  /// Runs callbacks on several threads, while such an executor spins.
  Handle multi;
  std::mutex mutex;
  std::vector<std::weak_ptr<detail::NodeCore>> nodes;
  std::vector<CallbackGroup::WeakPtr> groups;
  std::atomic_bool spinning{false};

  /// Calls a function with each handle of libsaltus.
  template<typename Function>
  void for_each_handle(Function function)
  {
    function(single.get());
    if (multi) {
      function(multi.get());
    }
  }
};

Executor::Executor(const ExecutorOptions & options)
: state_(std::make_shared<State>())
{
  state_->context = options.context;
  state_->single = new_executor(options.context, 1);
}

Executor::~Executor()
{
  for (const auto & weak : state_->nodes) {
    if (const auto node = weak.lock()) {
      node->leave(state_->single.get());
      node->get_associated_with_executor_atomic().store(false);
    }
  }
  for (const auto & weak : state_->groups) {
    if (const auto group = weak.lock()) {
      saltus_executor_remove_group(state_->single.get(), group->get_saltus_group());
      group->get_associated_with_executor_atomic().store(false);
    }
  }
}

Executor::Spinning::Spinning(Executor & executor, const char * function)
: executor_(executor)
{
  if (executor.state_->spinning.exchange(true)) {
    throw std::runtime_error(std::string(function) + "() called while already spinning. " + ADVICE);
  }
}

Executor::Spinning::~Spinning() {executor_.state_->spinning.store(false);}

void Executor::check(int status)
{
  if (status == SALTUS_STOPPED) {
    detail::throw_kept(true);
    return;
  }
  if (status != SALTUS_SHUT_DOWN) {
    detail::check(status, "failed to spin");
  }
}

void Executor::add_node(node_interfaces::NodeBaseInterface::SharedPtr node_ptr, bool)
{
  if (node_ptr->get_associated_with_executor_atomic().exchange(true)) {
    throw std::runtime_error(
            std::string("Node '") + node_ptr->get_fully_qualified_name() + "' has already been added to an executor.");
  }
  const auto core = detail::NodeCore::of(node_ptr);
  std::lock_guard<std::mutex> lock(state_->mutex);
  state_->for_each_handle([&](saltus_executor_t * handle) {
      detail::check(saltus_executor_add_node(handle, core->handle()), "failed to add a node");
    });
  core->join(state_->single);
  state_->nodes.push_back(core);
}

void Executor::add_node(std::shared_ptr<Node> node_ptr, bool notify)
{
  add_node(node_ptr->get_node_base_interface(), notify);
}

void detail::add_to_spin(Executor & executor, const node_interfaces::NodeBaseInterface::SharedPtr & node)
{
  if (node->get_associated_with_executor_atomic()) {
    throw std::runtime_error(
            std::string("Node '") + node->get_fully_qualified_name() + "' has already been added to an executor. " + ADVICE);
  }
  executor.add_node(node);
}

void Executor::remove_node(node_interfaces::NodeBaseInterface::SharedPtr node_ptr, bool)
{
  const auto core = detail::NodeCore::of(node_ptr);
  std::lock_guard<std::mutex> lock(state_->mutex);
  const auto is_it = [&](const auto & weak) {return weak.lock() == core;};
  const auto found = std::find_if(state_->nodes.begin(), state_->nodes.end(), is_it);
  if (found == state_->nodes.end()) {
    throw std::runtime_error("Node '" + std::string(node_ptr->get_fully_qualified_name()) +
            "' needs to be associated with this executor.");
  }
  state_->nodes.erase(found);
  state_->for_each_handle([&](saltus_executor_t * handle) {
      saltus_executor_remove_node(handle, core->handle());
    });
  core->leave(state_->single.get());
  node_ptr->get_associated_with_executor_atomic().store(false);
}

void Executor::remove_node(std::shared_ptr<Node> node_ptr, bool notify)
{
  remove_node(node_ptr->get_node_base_interface(), notify);
}

void Executor::add_callback_group(
  CallbackGroup::SharedPtr group_ptr, node_interfaces::NodeBaseInterface::SharedPtr, bool)
{
  if (group_ptr->get_saltus_group() == nullptr) {
    throw std::runtime_error("Callback group belongs to no node.");
  }
  if (group_ptr->get_associated_with_executor_atomic().exchange(true)) {
    throw std::runtime_error("Callback group has already been added to an executor.");
  }
  std::lock_guard<std::mutex> lock(state_->mutex);
  state_->for_each_handle([&](saltus_executor_t * handle) {
      detail::check(
        saltus_executor_add_group(handle, group_ptr->get_saltus_group()), "failed to add a callback group");
    });
  state_->groups.push_back(group_ptr);
}

void Executor::remove_callback_group(CallbackGroup::SharedPtr group_ptr, bool)
{
  std::lock_guard<std::mutex> lock(state_->mutex);
  const auto is_it = [&](const auto & weak) {return weak.lock() == group_ptr;};
  const auto found = std::find_if(state_->groups.begin(), state_->groups.end(), is_it);
  if (found == state_->groups.end()) {
    throw std::runtime_error("Callback group needs to be associated with executor.");
  }
  state_->groups.erase(found);
  state_->for_each_handle([&](saltus_executor_t * handle) {
      saltus_executor_remove_group(handle, group_ptr->get_saltus_group());
    });
  group_ptr->get_associated_with_executor_atomic().store(false);
}

std::vector<CallbackGroup::WeakPtr> Executor::get_manually_added_callback_groups()
{
  std::lock_guard<std::mutex> lock(state_->mutex);
  return state_->groups;
}

std::vector<CallbackGroup::WeakPtr> Executor::get_automatically_added_callback_groups_from_nodes()
{
  std::vector<CallbackGroup::WeakPtr> groups;
  std::lock_guard<std::mutex> lock(state_->mutex);
  for (const auto & weak : state_->nodes) {
    if (const auto node = weak.lock()) {
      node->for_each_callback_group([&groups](const CallbackGroup::SharedPtr & group) {
          if (group->automatically_add_to_executor_with_node() && !group->get_associated_with_executor_atomic()) {
            groups.push_back(group);
          }
        });
    }
  }
  return groups;
}

std::vector<CallbackGroup::WeakPtr> Executor::get_all_callback_groups()
{
  auto all = get_manually_added_callback_groups();
  for (const auto & group : get_automatically_added_callback_groups_from_nodes()) {
    all.push_back(group);
  }
  return all;
}

namespace
{

/// Removes a node from an executor when a function ends.
struct Added
{
  Executor & executor;
  node_interfaces::NodeBaseInterface::SharedPtr node;

  Added(Executor & to, node_interfaces::NodeBaseInterface::SharedPtr added)
  : executor(to), node(std::move(added))
  {
    detail::add_to_spin(executor, node);
  }
  ~Added() {executor.remove_node(node);}
};

}  // namespace

void Executor::spin_node_once_nanoseconds(
  node_interfaces::NodeBaseInterface::SharedPtr node, std::chrono::nanoseconds timeout)
{
  const Added added(*this, std::move(node));
  spin_once(timeout);
}

void Executor::spin_node_some(node_interfaces::NodeBaseInterface::SharedPtr node)
{
  const Added added(*this, std::move(node));
  spin_some();
}

void Executor::spin_node_some(std::shared_ptr<Node> node) {spin_node_some(node->get_node_base_interface());}

void Executor::spin_node_all(
  node_interfaces::NodeBaseInterface::SharedPtr node, std::chrono::nanoseconds max_duration)
{
  const Added added(*this, std::move(node));
  spin_all(max_duration);
}

void Executor::spin_node_all(std::shared_ptr<Node> node, std::chrono::nanoseconds max_duration)
{
  spin_node_all(node->get_node_base_interface(), max_duration);
}

void Executor::spin_some(std::chrono::nanoseconds max_duration)
{
  const Spinning spinning(*this, "spin_some");
  bool has_run = false;
  check(saltus_executor_spin_some(state_->single.get(), limit_of(max_duration), &has_run));
}

void Executor::spin_all(std::chrono::nanoseconds max_duration)
{
  if (max_duration < std::chrono::nanoseconds::zero()) {
    throw std::invalid_argument("max_duration must be greater than or equal to 0");
  }
  const Spinning spinning(*this, "spin_all");
  const auto end = std::chrono::steady_clock::now() + max_duration;
  bool has_run = true;
  while (has_run && state_->context->is_valid()) {
    const auto left = end - std::chrono::steady_clock::now();
    const bool has_limit = max_duration.count() != 0;
    if (has_limit && left <= std::chrono::nanoseconds::zero()) {
      return;
    }
    check(saltus_executor_spin_some(state_->single.get(), has_limit ? left.count() : -1, &has_run));
  }
}

void Executor::spin_once(std::chrono::nanoseconds timeout)
{
  const Spinning spinning(*this, "spin_once");
  bool has_run = false;
  check(saltus_executor_spin_one(state_->single.get(), timeout.count(), &has_run));
}

FutureReturnCode Executor::spin_until_complete(
  const std::function<bool()> & is_complete, std::chrono::nanoseconds timeout)
{
  if (is_complete()) {
    return FutureReturnCode::SUCCESS;
  }
  const Spinning spinning(*this, "spin_until_future_complete");
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (state_->context->is_valid() && state_->spinning.load()) {
    std::chrono::nanoseconds wait = FUTURE_SLICE;
    if (timeout >= std::chrono::nanoseconds::zero()) {
      wait = std::clamp<std::chrono::nanoseconds>(end - std::chrono::steady_clock::now(), {}, FUTURE_SLICE);
    }
    bool has_run = false;
    check(saltus_executor_spin_one(state_->single.get(), wait.count(), &has_run));
    if (is_complete()) {
      return FutureReturnCode::SUCCESS;
    }
    if (timeout >= std::chrono::nanoseconds::zero() && std::chrono::steady_clock::now() >= end) {
      return FutureReturnCode::TIMEOUT;
    }
  }
  return FutureReturnCode::INTERRUPTED;
}

void Executor::cancel()
{
  if (state_->spinning.exchange(false)) {
    // The spin that ends sets it to false again, which changes nothing.
    detail::check(saltus_executor_cancel(state_->single.get()), "Failed to trigger guard condition in cancel");
  }
}

bool Executor::is_spinning() {return state_->spinning;}

void executors::SingleThreadedExecutor::spin()
{
  const Spinning spinning(*this, "spin");
  check(saltus_executor_spin(state_->single.get()));
}

executors::MultiThreadedExecutor::MultiThreadedExecutor(
  const ExecutorOptions & options, size_t number_of_threads, bool, std::chrono::nanoseconds)
: Executor(options),
  number_of_threads_(number_of_threads > 0 ? number_of_threads : std::max(std::thread::hardware_concurrency(), 2U))
{
  if (number_of_threads_ == 1) {
    RCLCPP_WARN(
      get_logger("rclcpp"), "MultiThreadedExecutor is used with a single thread.\nUse the SingleThreadedExecutor instead.");
  }
}

void executors::MultiThreadedExecutor::spin()
{
  // A thread that sees that this executor spins also sees what it has to cancel.
  std::unique_lock<std::mutex> starting(state_->mutex);
  const Spinning spinning(*this, "spin");
  const Handle multi = new_executor(state_->context, number_of_threads_);
  {
    const std::unique_lock<std::mutex> lock = std::move(starting);
    state_->multi = multi;
    for (const auto & weak : state_->nodes) {
      if (const auto node = weak.lock()) {
        node->join(multi);
        saltus_executor_add_node(multi.get(), node->handle());
      }
    }
    for (const auto & weak : state_->groups) {
      if (const auto group = weak.lock()) {
        saltus_executor_add_group(multi.get(), group->get_saltus_group());
      }
    }
  }
  const saltus_status_t status = saltus_executor_spin(multi.get());
  {
    std::lock_guard<std::mutex> lock(state_->mutex);
    state_->multi.reset();
    for (const auto & weak : state_->nodes) {
      if (const auto node = weak.lock()) {
        node->leave(multi.get());
      }
    }
  }
  check(status);
}

void executors::MultiThreadedExecutor::cancel()
{
  std::lock_guard<std::mutex> lock(state_->mutex);
  if (state_->multi) {
    detail::check(saltus_executor_cancel(state_->multi.get()), "Failed to trigger guard condition in cancel");
  } else {
    Executor::cancel();
  }
}

std::ostream & operator<<(std::ostream & os, const FutureReturnCode & future_return_code)
{
  return os << to_string(future_return_code);
}

std::string to_string(const FutureReturnCode & future_return_code)
{
  switch (future_return_code) {
    case FutureReturnCode::SUCCESS: return "SUCCESS (0)";
    case FutureReturnCode::INTERRUPTED: return "INTERRUPTED (1)";
    case FutureReturnCode::TIMEOUT: return "TIMEOUT (2)";
    default: return "Unknown enum value (" + std::to_string(static_cast<int>(future_return_code)) + ")";
  }
}

namespace
{

ExecutorOptions options_of(const node_interfaces::NodeBaseInterface::SharedPtr & node)
{
  ExecutorOptions options;
  options.context = node->get_context();
  return options;
}

}  // namespace

void spin_some(node_interfaces::NodeBaseInterface::SharedPtr node_ptr)
{
  executors::SingleThreadedExecutor executor(options_of(node_ptr));
  executor.spin_node_some(node_ptr);
}

void spin_some(Node::SharedPtr node_ptr) {spin_some(node_ptr->get_node_base_interface());}

void spin_all(node_interfaces::NodeBaseInterface::SharedPtr node_ptr, std::chrono::nanoseconds max_duration)
{
  executors::SingleThreadedExecutor executor(options_of(node_ptr));
  executor.spin_node_all(node_ptr, max_duration);
}

void spin_all(Node::SharedPtr node_ptr, std::chrono::nanoseconds max_duration)
{
  spin_all(node_ptr->get_node_base_interface(), max_duration);
}

void spin(node_interfaces::NodeBaseInterface::SharedPtr node_ptr)
{
  executors::SingleThreadedExecutor executor(options_of(node_ptr));
  const Added added(executor, node_ptr);
  executor.spin();
}

void spin(Node::SharedPtr node_ptr) {spin(node_ptr->get_node_base_interface());}

}  // namespace rclcpp
