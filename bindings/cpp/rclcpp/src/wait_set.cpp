#include <algorithm>
#include <stdexcept>
#include <string>

#include "rcl/error_handling.h"
#include "rclcpp/detail/wait_set_core.hpp"
#include "rclcpp/event_handler.hpp"
#include "rclcpp/exceptions.hpp"

namespace rclcpp::detail
{
namespace
{

// What differs between the kinds of entities.
const char * name_of(const SubscriptionBase *) {return "subscription";}
const char * name_of(const GuardCondition *) {return "guard_condition";}
const char * name_of(const TimerBase *) {return "timer";}
const char * name_of(const ClientBase *) {return "client";}
const char * name_of(const ServiceBase *) {return "service";}
const char * name_of(const Waitable *) {return "waitable";}

template<typename T>
std::string in_use(const T * entity) {return std::string(name_of(entity)) + " already in use by another wait set";}
std::string in_use(const GuardCondition *) {return "guard condition already in use by another wait set";}
std::string in_use(const SubscriptionBase *) {return "subscription already associated with a wait set";}

template<typename T>
bool exchange(T & entity, bool is_in_use) {return entity.exchange_in_use_by_wait_set_state(is_in_use);}
bool exchange(SubscriptionBase & entity, bool is_in_use)
{
  return entity.exchange_in_use_by_wait_set_state(&entity, is_in_use);
}

template<typename T>
void set_waiter(T & entity, const std::weak_ptr<Waiter> & waiter) {entity.waited().set_waiter(waiter);}
void set_waiter(GuardCondition & entity, const std::weak_ptr<Waiter> & waiter)
{
  GuardState::of(entity.get_rcl_guard_condition()).waited.set_waiter(waiter);
}
// Its guard conditions wake the wait set.
void set_waiter(Waitable &, const std::weak_ptr<Waiter> &) {}

bool is_ready(const SubscriptionBase & entity) {return entity.has_message();}
bool is_ready(TimerBase & entity) {return entity.is_ready();}
bool is_ready(const ClientBase & entity) {return entity.has_response();}
bool is_ready(const ServiceBase & entity) {return entity.has_request();}

template<typename T>
bool is_any_of(const WaitMembers<T> & members)
{
  return std::any_of(members.waited.begin(), members.waited.end(), [](const auto & one) {return is_ready(*one);});
}

/// Removes the entries of a wait set that are not ready. Returns whether one is ready.
template<typename Handle, typename IsReady>
bool keep_ready(const Handle ** entries, size_t count, IsReady is_entry_ready)
{
  bool is_any = false;
  for (size_t index = 0; index < count; ++index) {
    if (is_entry_ready(index)) {
      is_any = true;
    } else {
      entries[index] = nullptr;
    }
  }
  return is_any;
}

void check(rcl_ret_t ret)
{
  if (ret != RCL_RET_OK) {
    exceptions::throw_from_rcl_error(ret, "Couldn't fill the wait set");
  }
}

}  // namespace

WaitSetCore::WaitSetCore(Context::SharedPtr context, bool keeps, bool may_be_empty)
: waiter_(std::make_shared<Waiter>(context)), keeps_(keeps), may_be_empty_(may_be_empty),
  set_(rcl_get_zero_initialized_wait_set())
{
  if (!context) {
    throw std::invalid_argument("context is nullptr");
  }
  check(rcl_wait_set_init(&set_, 0, 0, 0, 0, 0, 0, nullptr, rcl_get_default_allocator()));
}

WaitSetCore::~WaitSetCore()
{
  waiter_->leave();
  for_each_kind([](auto & members) {
      for (const auto & weak : members.all) {
        if (const auto entity = weak.lock()) {
          exchange(*entity, false);
          set_waiter(*entity, {});
        }
      }
    });
  if (rcl_wait_set_fini(&set_) != RCL_RET_OK) {
    rcl_reset_error();
  }
}

void WaitSetCore::changed()
{
  changes_ += 1;
  waiter_->wake();
}

template<typename T>
void WaitSetCore::add(const std::shared_ptr<T> & entity, bool is_first)
{
  const std::string name = name_of(entity.get());
  if (!entity) {
    throw std::invalid_argument(name + " is nullptr");
  }
  if (exchange(*entity, true) && !is_first) {
    throw std::runtime_error(in_use(entity.get()));
  }
  set_waiter(*entity, waiter_);
  prune();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    of<T>().all.push_back(entity);
    if (keeps_) {
      of<T>().kept.push_back(entity);
    }
  }
  changed();
}

template<typename T>
void WaitSetCore::remove(const std::shared_ptr<T> & entity)
{
  const std::string name = name_of(entity.get());
  if (!entity) {
    throw std::invalid_argument(name + " is nullptr");
  }
  {
    std::lock_guard<std::mutex> lock(mutex_);
    auto & all = of<T>().all;
    const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto & weak) {return weak.lock() == entity;});
    if (found == all.end()) {
      throw std::runtime_error(name + " not in wait set");
    }
    all.erase(found);
  }
  exchange(*entity, false);
  set_waiter(*entity, {});
  changed();
}

void WaitSetCore::prune()
{
  std::lock_guard<std::mutex> lock(mutex_);
  for_each_kind([](auto & members) {
      auto & all = members.all;
      all.erase(std::remove_if(all.begin(), all.end(), [](const auto & weak) {return weak.expired();}), all.end());
    });
}

/// Begins a wait with the entities that exist. Returns false if nothing was added, or only waitables without entities.
bool WaitSetCore::begin()
{
  waits_ += 1;
  std::lock_guard<std::mutex> lock(mutex_);
  size_t count = 0;
  for_each_kind([&](auto & members) {
      members.waited.clear();
      for (const auto & weak : members.all) {
        if (auto entity = weak.lock()) {
          members.waited.push_back(std::move(entity));
        }
      }
      count += members.all.size();
    });
  fill();
  return count > of<Waitable>().waited.size() || set_.size_of_guard_conditions > 0;
}

/// Fills the wait set with the entities of a wait. The guard conditions of waitables come after the others.
void WaitSetCore::fill()
{
  size_t guards = of<GuardCondition>().waited.size();
  for (const auto & waitable : of<Waitable>().waited) {
    guards += waitable->get_number_of_ready_guard_conditions();
  }
  check(
    rcl_wait_set_resize(
      &set_, of<SubscriptionBase>().waited.size(), guards, of<TimerBase>().waited.size(), of<ClientBase>().waited.size(),
      of<ServiceBase>().waited.size(), 0));
  for (const auto & one : of<SubscriptionBase>().waited) {
    check(rcl_wait_set_add_subscription(&set_, one->get_subscription_handle().get(), nullptr));
  }
  for (const auto & one : of<GuardCondition>().waited) {
    check(rcl_wait_set_add_guard_condition(&set_, &one->get_rcl_guard_condition(), nullptr));
  }
  for (const auto & one : of<TimerBase>().waited) {
    check(rcl_wait_set_add_timer(&set_, one->get_timer_handle().get(), nullptr));
  }
  for (const auto & one : of<ClientBase>().waited) {
    check(rcl_wait_set_add_client(&set_, one->get_client_handle().get(), nullptr));
  }
  for (const auto & one : of<ServiceBase>().waited) {
    check(rcl_wait_set_add_service(&set_, one->get_service_handle().get(), nullptr));
  }
  for (const auto & one : of<Waitable>().waited) {
    one->add_to_wait_set(set_);
  }
  for (size_t index = 0; index < set_.size_of_guard_conditions; ++index) {
    if (set_.guard_conditions[index] != nullptr) {
      GuardState::of(*set_.guard_conditions[index]).waited.set_waiter(waiter_);
    }
  }
}

std::vector<CallbackGroup::SharedPtr> WaitSetCore::groups()
{
  std::vector<CallbackGroup::SharedPtr> all;
  const auto add_of = [&](const auto & members) {
      for (const auto & entity : members.waited) {
        if (const auto & group = entity->waited().group()) {
          all.push_back(group);
        }
      }
    };
  add_of(of<SubscriptionBase>());
  add_of(of<TimerBase>());
  add_of(of<ClientBase>());
  add_of(of<ServiceBase>());
  for (const auto & waitable : of<Waitable>().waited) {
    // Only the executor of its endpoint learns of an event.
    if (const auto handler = std::dynamic_pointer_cast<EventHandlerBase>(waitable)) {
      all.push_back(handler->group());
    }
  }
  return all;
}

bool WaitSetCore::is_any_ready()
{
  for (size_t index = 0; index < set_.size_of_guard_conditions; ++index) {
    if (set_.guard_conditions[index] != nullptr && GuardState::of(*set_.guard_conditions[index]).is_triggered()) {
      return true;
    }
  }
  return is_any_of(of<SubscriptionBase>()) || is_any_of(of<TimerBase>()) || is_any_of(of<ClientBase>()) ||
         is_any_of(of<ServiceBase>());
}

/// Removes from the wait set what is not ready. Returns whether something is.
bool WaitSetCore::mark_ready()
{
  const auto is_entity_ready = [](const auto & members) {
      return [&members](size_t index) {return is_ready(*members.waited[index]);};
    };
  bool is_any =
    keep_ready(set_.subscriptions, set_.size_of_subscriptions, is_entity_ready(of<SubscriptionBase>()));
  is_any |= keep_ready(set_.guard_conditions, set_.size_of_guard_conditions, [this](size_t index) {
        const auto * guard = set_.guard_conditions[index];
        return guard != nullptr && GuardState::of(*guard).take();
      });
  is_any |= keep_ready(set_.timers, set_.size_of_timers, is_entity_ready(of<TimerBase>()));
  is_any |= keep_ready(set_.clients, set_.size_of_clients, is_entity_ready(of<ClientBase>()));
  is_any |= keep_ready(set_.services, set_.size_of_services, is_entity_ready(of<ServiceBase>()));
  return is_any;
}

WaitResultKind WaitSetCore::wait(std::chrono::nanoseconds timeout)
{
  const auto end = std::chrono::steady_clock::now() + timeout;
  std::chrono::nanoseconds left = timeout;
  bool goes_on = true;
  while (goes_on) {
    const uint64_t known = changes_;
    if (!begin() && !may_be_empty_) {
      return WaitResultKind::Empty;
    }
    goes_on = waiter_->wait(groups(), [&] {return is_any_ready() || changes_ != known;}, left);
    if (timeout >= timeout.zero()) {
      left = std::max<std::chrono::nanoseconds>(end - std::chrono::steady_clock::now(), timeout.zero());
    }
    if (mark_ready()) {
      return WaitResultKind::Ready;
    }
    // The wait set was changed, or an executor takes a message just now.
    goes_on = goes_on && left != timeout.zero();
  }
  release(waits_);
  return WaitResultKind::Timeout;
}

void WaitSetCore::release(uint64_t wait)
{
  if (wait == waits_) {
    for_each_kind([](auto & members) {members.waited.clear();});
  }
}

#define RCLCPP_DETAIL_WAIT(T) \
  template void WaitSetCore::add<T>(const std::shared_ptr<T> &, bool); \
  template void WaitSetCore::remove<T>(const std::shared_ptr<T> &);

RCLCPP_DETAIL_WAIT(SubscriptionBase)
RCLCPP_DETAIL_WAIT(GuardCondition)
RCLCPP_DETAIL_WAIT(TimerBase)
RCLCPP_DETAIL_WAIT(ClientBase)
RCLCPP_DETAIL_WAIT(ServiceBase)
RCLCPP_DETAIL_WAIT(Waitable)

#undef RCLCPP_DETAIL_WAIT

}  // namespace rclcpp::detail
