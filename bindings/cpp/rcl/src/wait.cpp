// What is in a wait set.
#include "rcl/wait.h"

#include <algorithm>
#include <vector>

#include "rcl/error_handling.h"

namespace
{

/// The entities of one kind, and how many of them were added.
template<typename T>
struct Slots
{
  std::vector<const T *> all;
  size_t used = 0;

  void resize(size_t size)
  {
    all.assign(size, nullptr);
    used = 0;
  }
};

}  // namespace

struct rcl_wait_set_impl_s
{
  Slots<rcl_subscription_t> subscriptions;
  Slots<rcl_guard_condition_t> guard_conditions;
  Slots<rcl_timer_t> timers;
  Slots<rcl_client_t> clients;
  Slots<rcl_service_t> services;
  Slots<rcl_event_t> events;
};

namespace
{

template<typename T>
void show(const T ** & place, size_t & size, Slots<T> & slots)
{
  place = slots.all.empty() ? nullptr : slots.all.data();
  size = slots.all.size();
}

template<typename T>
rcl_ret_t add(rcl_wait_set_t * wait_set, Slots<T> rcl_wait_set_impl_s::* slots, const T * entity, size_t * index)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(wait_set, RCL_RET_INVALID_ARGUMENT);
  RCL_CHECK_ARGUMENT_FOR_NULL(entity, RCL_RET_INVALID_ARGUMENT);
  if (wait_set->impl == nullptr) {
    RCL_SET_ERROR_MSG("the wait set is not initialized");
    return RCL_RET_WAIT_SET_INVALID;
  }
  Slots<T> & own = wait_set->impl->*slots;
  if (own.used == own.all.size()) {
    RCL_SET_ERROR_MSG("the wait set is full");
    return RCL_RET_WAIT_SET_FULL;
  }
  if (index != nullptr) {
    *index = own.used;
  }
  own.all[own.used++] = entity;
  return RCL_RET_OK;
}

}  // namespace

rcl_ret_t rcl_wait_set_init(
  rcl_wait_set_t * wait_set, size_t number_of_subscriptions, size_t number_of_guard_conditions, size_t number_of_timers,
  size_t number_of_clients, size_t number_of_services, size_t number_of_events, rcl_context_t *, rcl_allocator_t)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(wait_set, RCL_RET_INVALID_ARGUMENT);
  if (wait_set->impl != nullptr) {
    RCL_SET_ERROR_MSG("the wait set is initialized already");
    return RCL_RET_ALREADY_INIT;
  }
  wait_set->impl = new rcl_wait_set_impl_s();
  return rcl_wait_set_resize(
    wait_set, number_of_subscriptions, number_of_guard_conditions, number_of_timers, number_of_clients,
    number_of_services, number_of_events);
}

rcl_ret_t rcl_wait_set_fini(rcl_wait_set_t * wait_set)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(wait_set, RCL_RET_INVALID_ARGUMENT);
  delete wait_set->impl;
  *wait_set = rcl_get_zero_initialized_wait_set();
  return RCL_RET_OK;
}

bool rcl_wait_set_is_valid(const rcl_wait_set_t * wait_set) {return wait_set != nullptr && wait_set->impl != nullptr;}

rcl_ret_t rcl_wait_set_clear(rcl_wait_set_t * wait_set)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(wait_set, RCL_RET_INVALID_ARGUMENT);
  return rcl_wait_set_resize(
    wait_set, wait_set->size_of_subscriptions, wait_set->size_of_guard_conditions, wait_set->size_of_timers,
    wait_set->size_of_clients, wait_set->size_of_services, wait_set->size_of_events);
}

rcl_ret_t rcl_wait_set_resize(
  rcl_wait_set_t * wait_set, size_t subscriptions_size, size_t guard_conditions_size, size_t timers_size,
  size_t clients_size, size_t services_size, size_t events_size)
{
  if (!rcl_wait_set_is_valid(wait_set)) {
    RCL_SET_ERROR_MSG("the wait set is not initialized");
    return RCL_RET_WAIT_SET_INVALID;
  }
  rcl_wait_set_impl_s & impl = *wait_set->impl;
  impl.subscriptions.resize(subscriptions_size);
  impl.guard_conditions.resize(guard_conditions_size);
  impl.timers.resize(timers_size);
  impl.clients.resize(clients_size);
  impl.services.resize(services_size);
  impl.events.resize(events_size);
  show(wait_set->subscriptions, wait_set->size_of_subscriptions, impl.subscriptions);
  show(wait_set->guard_conditions, wait_set->size_of_guard_conditions, impl.guard_conditions);
  show(wait_set->timers, wait_set->size_of_timers, impl.timers);
  show(wait_set->clients, wait_set->size_of_clients, impl.clients);
  show(wait_set->services, wait_set->size_of_services, impl.services);
  show(wait_set->events, wait_set->size_of_events, impl.events);
  return RCL_RET_OK;
}

rcl_ret_t rcl_wait_set_add_subscription(
  rcl_wait_set_t * wait_set, const rcl_subscription_t * subscription, size_t * index)
{
  return add(wait_set, &rcl_wait_set_impl_s::subscriptions, subscription, index);
}

rcl_ret_t rcl_wait_set_add_guard_condition(
  rcl_wait_set_t * wait_set, const rcl_guard_condition_t * guard_condition, size_t * index)
{
  return add(wait_set, &rcl_wait_set_impl_s::guard_conditions, guard_condition, index);
}

rcl_ret_t rcl_wait_set_add_timer(rcl_wait_set_t * wait_set, const rcl_timer_t * timer, size_t * index)
{
  return add(wait_set, &rcl_wait_set_impl_s::timers, timer, index);
}

rcl_ret_t rcl_wait_set_add_client(rcl_wait_set_t * wait_set, const rcl_client_t * client, size_t * index)
{
  return add(wait_set, &rcl_wait_set_impl_s::clients, client, index);
}

rcl_ret_t rcl_wait_set_add_service(rcl_wait_set_t * wait_set, const rcl_service_t * service, size_t * index)
{
  return add(wait_set, &rcl_wait_set_impl_s::services, service, index);
}

rcl_ret_t rcl_wait_set_add_event(rcl_wait_set_t * wait_set, const rcl_event_t * event, size_t * index)
{
  return add(wait_set, &rcl_wait_set_impl_s::events, event, index);
}
