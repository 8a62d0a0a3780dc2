#include "rclcpp/detail/waited.hpp"

#include <algorithm>

#include "libsaltus.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"

namespace rclcpp::detail
{
namespace
{

thread_local bool collects = false;

/// Notes that this thread runs callbacks for a wait set.
struct Collecting
{
  const bool was = collects;

  Collecting() {collects = true;}
  ~Collecting() {collects = was;}
};

/// Whether an executor runs the callbacks of a group. Then a wait set leaves the group to it, and is woken.
bool has_executor(CallbackGroup & group)
{
  if (group.get_associated_with_executor_atomic()) {
    return true;
  }
  const auto node = group.get_node_base();
  return node && group.automatically_add_to_executor_with_node() && node->get_associated_with_executor_atomic();
}

bool has(const std::vector<CallbackGroup::SharedPtr> & groups, const CallbackGroup::SharedPtr & group)
{
  return std::find(groups.begin(), groups.end(), group) != groups.end();
}

}  // namespace

Waiter::Waiter(Context::SharedPtr context)
: context_(std::move(context)) {}

Waiter::~Waiter() {leave();}

bool Waiter::is_collecting() {return collects;}

void Waiter::open(const Context::SharedPtr & context)
{
  saltus_executor_options_t options;
  saltus_executor_options_init(&options, sizeof options);
  auto * handle = created<saltus_executor_t>(
    "failed to wait", [&](saltus_executor_t ** place) {
      return saltus_executor_create(context->get_saltus_context(), &options, place);
    });
  std::lock_guard<std::mutex> lock(mutex_);
  context_ = context;
  executor_ = shared(handle, &saltus_executor_destroy);
}

void Waiter::join(const std::vector<CallbackGroup::SharedPtr> & groups)
{
  if (!executor_) {
    const auto node = groups.empty() ? nullptr : groups.front()->get_node_base();
    open(node ? node->get_context() : context_);
  }
  std::vector<CallbackGroup::SharedPtr> now;
  for (const auto & group : groups) {
    if (!has(now, group) && !has_executor(*group)) {
      now.push_back(group);
    }
  }
  for (const auto & group : joined_) {
    if (!has(now, group)) {
      saltus_executor_remove_group(executor_.get(), group->get_saltus_group());
    }
  }
  for (const auto & group : now) {
    if (!has(joined_, group)) {
      check(saltus_executor_add_group(executor_.get(), group->get_saltus_group()), "failed to wait");
    }
  }
  joined_ = std::move(now);
}

void Waiter::leave()
{
  for (const auto & group : joined_) {
    saltus_executor_remove_group(executor_.get(), group->get_saltus_group());
  }
  joined_.clear();
}

bool Waiter::step(std::chrono::nanoseconds timeout)
{
  bool has_run = false;
  const saltus_status_t status = saltus_executor_spin_one(executor_.get(), timeout.count(), &has_run);
  if (status == SALTUS_STOPPED) {
    throw_kept(true);
  } else if (status == SALTUS_SHUT_DOWN) {
    return false;
  } else {
    check(status, "failed to wait");
  }
  return context_->is_valid();
}

bool Waiter::wait(
  const std::vector<CallbackGroup::SharedPtr> & groups, const std::function<bool()> & holds,
  std::chrono::nanoseconds timeout)
{
  join(groups);
  const Collecting collecting;
  const auto end = std::chrono::steady_clock::now() + timeout;
  bool has_run = false;
  while (!holds()) {
    std::chrono::nanoseconds left = timeout;
    if (timeout >= timeout.zero()) {
      left = std::max<std::chrono::nanoseconds>(end - std::chrono::steady_clock::now(), timeout.zero());
    }
    if (!step(left)) {
      return holds();
    }
    if (left == timeout.zero()) {
      return holds();
    }
  }
  // Other entities may be ready, too.
  if (saltus_executor_spin_some(executor_.get(), -1, &has_run) == SALTUS_STOPPED) {
    throw_kept(true);
  }
  return true;
}

void Waiter::wake()
{
  std::lock_guard<std::mutex> lock(mutex_);
  if (executor_) {
    saltus_executor_wake(executor_.get());
  }
}

void Waited::set_waiter(std::weak_ptr<Waiter> waiter)
{
  std::lock_guard<std::mutex> lock(mutex_);
  waiter_ = std::move(waiter);
}

void Waited::notify() const
{
  std::shared_ptr<Waiter> waiter;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    waiter = waiter_.lock();
  }
  if (waiter && !Waiter::is_collecting()) {
    waiter->wake();
  }
}

}  // namespace rclcpp::detail
