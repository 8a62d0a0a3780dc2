#include "waitables.hpp"

#include <algorithm>
#include <stdexcept>

#include "node_core.hpp"
#include "rcl/error_handling.h"
#include "rclcpp/guard_condition.hpp"

namespace rclcpp
{

std::shared_ptr<void> Waitable::take_data_by_entity_id(size_t)
{
  throw std::runtime_error("Custom waitables should override take_data_by_entity_id if they want to use it.");
}

void Waitable::set_on_ready_callback(std::function<void(size_t, int)>)
{
  throw std::runtime_error("Custom waitables should override set_on_ready_callback if they want to use it.");
}

void Waitable::clear_on_ready_callback()
{
  throw std::runtime_error(
          "Custom waitables should override clear_on_ready_callback if they want to use it and make sure to call it on the "
          "waitable destructor.");
}

namespace detail
{

WaitableSet::WaitableSet(Waitable & waitable)
: set_(rcl_get_zero_initialized_wait_set())
{
  const rcl_ret_t ret = rcl_wait_set_init(
    &set_, waitable.get_number_of_ready_subscriptions(), waitable.get_number_of_ready_guard_conditions(),
    waitable.get_number_of_ready_timers(), waitable.get_number_of_ready_clients(),
    waitable.get_number_of_ready_services(), waitable.get_number_of_ready_events(), nullptr,
    rcl_get_default_allocator());
  if (ret != RCL_RET_OK) {
    exceptions::throw_from_rcl_error(ret, "Couldn't create a wait set");
  }
  waitable.add_to_wait_set(set_);
}

WaitableSet::~WaitableSet()
{
  if (rcl_wait_set_fini(&set_) != RCL_RET_OK) {
    rcl_reset_error();
  }
}

void WaitableSet::keep_triggered()
{
  for (size_t index = 0; index < set_.size_of_guard_conditions; ++index) {
    const rcl_guard_condition_t *& guard = set_.guard_conditions[index];
    if (guard != nullptr && !GuardState::of(*guard).take()) {
      guard = nullptr;
    }
  }
}

WaitableRunner::~WaitableRunner() {close();}

void WaitableRunner::open(saltus_node_t * node, const CallbackGroup::SharedPtr & group)
{
  auto * context = new std::weak_ptr<WaitableRunner>(weak_from_this());
  auto * guard = created<saltus_guard_t>(
    "failed to add a waitable", [&](saltus_guard_t ** place) {
      return saltus_guard_create(
        node, group ? group->get_saltus_group() : nullptr, &WaitableRunner::on_trigger, context,
        [](void * dropped) {delete static_cast<std::weak_ptr<WaitableRunner> *>(dropped);}, place);
    });
  guard_ = shared(guard, &saltus_guard_destroy);
  listen();
  // It may be ready already.
  saltus_guard_trigger(guard);
}

void WaitableRunner::listen()
{
  const auto waitable = waitable_.lock();
  const std::weak_ptr<saltus_guard_t> weak = guard_;
  const auto trigger = [weak] {
      if (const auto guard = weak.lock()) {
        saltus_guard_trigger(guard.get());
      }
    };
  const WaitableSet set(*waitable);
  for (size_t index = 0; index < set.get().size_of_guard_conditions; ++index) {
    if (set.get().guard_conditions[index] != nullptr) {
      GuardState::of(*set.get().guard_conditions[index]).set_listener(trigger);
    }
  }
  if (set.get().size_of_guard_conditions == 0) {
    waitable->set_on_ready_callback([trigger](size_t, int) {trigger();});
  }
}

void WaitableRunner::close() {guard_.reset();}

bool WaitableRunner::is_for(const Waitable * waitable) const
{
  const auto own = waitable_.lock();
  return !own || own.get() == waitable;
}

saltus_next_t WaitableRunner::on_trigger(void * context)
{
  const auto runner = static_cast<std::weak_ptr<WaitableRunner> *>(context)->lock();
  return runner ? guarded([&] {runner->run();}) : SALTUS_CONTINUE;
}

void WaitableRunner::run()
{
  const auto waitable = waitable_.lock();
  if (!waitable) {
    return;
  }
  WaitableSet set(*waitable);
  set.keep_triggered();
  if (waitable->is_ready(set.get())) {
    const auto data = waitable->take_data();
    waitable->execute(data);
    // There may be more, for which nothing is triggered.
    if (const auto guard = guard_) {
      saltus_guard_trigger(guard.get());
    }
  }
}

void NodeCore::add_waitable(std::shared_ptr<Waitable> waitable, CallbackGroup::SharedPtr group)
{
  if (group && !callback_group_in_node(group)) {
    throw std::runtime_error("Cannot create waitable, group not in node.");
  }
  auto runner = std::make_shared<WaitableRunner>(waitable);
  runner->open(handle_.get(), group);
  remove_waitable(nullptr, nullptr);
  std::lock_guard<std::mutex> lock(mutex_);
  waitables_.push_back(std::move(runner));
}

void NodeCore::remove_waitable(std::shared_ptr<Waitable> waitable, CallbackGroup::SharedPtr) noexcept
{
  std::vector<std::shared_ptr<WaitableRunner>> removed;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto stays = [&](const auto & runner) {return !runner->is_for(waitable.get());};
    const auto first = std::stable_partition(waitables_.begin(), waitables_.end(), stays);
    removed.assign(first, waitables_.end());
    waitables_.erase(first, waitables_.end());
  }
  for (const auto & runner : removed) {
    runner->close();
  }
}

}  // namespace detail
}  // namespace rclcpp
