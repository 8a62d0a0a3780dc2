#ifndef RCLCPP__WAIT_SET_TEMPLATE_HPP_
#define RCLCPP__WAIT_SET_TEMPLATE_HPP_

#include <array>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "rclcpp/contexts/default_context.hpp"
#include "rclcpp/detail/wait_set_core.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/wait_result.hpp"

namespace rclcpp
{
namespace wait_set_policies
{

/// One thread uses the wait set.
class SequentialSynchronization
{
public:
  static constexpr bool MAY_BE_EMPTY = false;
};

/// Any thread may add and remove entities, also during a wait, which goes on with the others.
class ThreadSafeSynchronization
{
public:
  static constexpr bool MAY_BE_EMPTY = true;
};

/// The wait set does not keep its entities, and any number can be added.
class DynamicStorage
{
public:
  static constexpr bool IS_FIXED = false;
  using SubscriptionEntry = detail::SubscriptionEntry;
  using WaitableEntry = detail::WaitableEntry;
  using SubscriptionsIterable = std::vector<SubscriptionEntry>;
  using GuardConditionsIterable = std::vector<std::shared_ptr<GuardCondition>>;
  using TimersIterable = std::vector<std::shared_ptr<TimerBase>>;
  using ClientsIterable = std::vector<std::shared_ptr<ClientBase>>;
  using ServicesIterable = std::vector<std::shared_ptr<ServiceBase>>;
  using WaitablesIterable = std::vector<WaitableEntry>;
};

/// The wait set keeps the entities that its constructor gets.
template<
  std::size_t NumberOfSubscriptions, std::size_t NumberOfGuardCondtions, std::size_t NumberOfTimers,
  std::size_t NumberOfClients, std::size_t NumberOfServices, std::size_t NumberOfWaitables>
class StaticStorage
{
public:
  static constexpr bool IS_FIXED = true;
  using SubscriptionEntry = detail::SubscriptionEntry;
  using WaitableEntry = detail::WaitableEntry;
  using SubscriptionsIterable = std::array<SubscriptionEntry, NumberOfSubscriptions>;
  using GuardConditionsIterable = std::array<std::shared_ptr<GuardCondition>, NumberOfGuardCondtions>;
  using TimersIterable = std::array<std::shared_ptr<TimerBase>, NumberOfTimers>;
  using ClientsIterable = std::array<std::shared_ptr<ClientBase>, NumberOfClients>;
  using ServicesIterable = std::array<std::shared_ptr<ServiceBase>, NumberOfServices>;
  using WaitablesIterable = std::array<WaitableEntry, NumberOfWaitables>;
};

}  // namespace wait_set_policies

/// Waits for entities, and leaves it to the program what to do then.
///
/// During a wait, nothing calls the callbacks of the entities: the program takes messages, requests and responses, and calls timers.
/// The groups of the entities should not be in an executor at the same time. What else is in these groups: a message waits to be
/// taken, a timer leaves out its call, and services and clients work as in an executor.
template<class SynchronizationPolicy, class StoragePolicy>
class WaitSetTemplate final
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(WaitSetTemplate)

  using SubscriptionEntry = typename StoragePolicy::SubscriptionEntry;
  using WaitableEntry = typename StoragePolicy::WaitableEntry;

  /// \throws std::runtime_error if the size is fixed, and there are fewer entities
  explicit WaitSetTemplate(
    const typename StoragePolicy::SubscriptionsIterable & subscriptions = {},
    const typename StoragePolicy::GuardConditionsIterable & guard_conditions = {},
    const typename StoragePolicy::TimersIterable & timers = {},
    const typename StoragePolicy::ClientsIterable & clients = {},
    const typename StoragePolicy::ServicesIterable & services = {},
    const typename StoragePolicy::WaitablesIterable & waitables = {},
    rclcpp::Context::SharedPtr context = rclcpp::contexts::get_global_default_context())
  : core_(std::move(context), StoragePolicy::IS_FIXED, SynchronizationPolicy::MAY_BE_EMPTY)
  {
    for (const auto & entry : subscriptions) {
      if (exists(entry.subscription) && entry.mask.include_subscription) {
        core_.add(entry.subscription, true);
      }
    }
    add_first(guard_conditions);
    add_first(timers);
    add_first(clients);
    add_first(services);
    for (const auto & entry : waitables) {
      if (exists(entry.waitable)) {
        core_.add(entry.waitable, true);
      }
    }
  }
  WaitSetTemplate(const WaitSetTemplate &) = delete;
  WaitSetTemplate & operator=(const WaitSetTemplate &) = delete;

  /// Returns what is ready: the entries that are not are NULL.
  const rcl_wait_set_t & get_rcl_wait_set() const {return core_.get_rcl_wait_set();}
  rcl_wait_set_t & get_rcl_wait_set() {return core_.get_rcl_wait_set();}

  // The functions that add throw std::invalid_argument for a null pointer, and std::runtime_error if a wait set has the entity.
  // Those that remove throw std::runtime_error if this wait set does not have it. A wait set of fixed size has none of them.
  void add_subscription(
    std::shared_ptr<rclcpp::SubscriptionBase> subscription, rclcpp::SubscriptionWaitSetMask mask = {})
  {
    if (mask.include_subscription || !subscription) {
      add(subscription);
    }
    if (mask.include_events) {
      for (const auto & [kind, handler] : subscription->get_event_handlers()) {
        add_waitable(handler, subscription);
      }
    }
  }
  void remove_subscription(
    std::shared_ptr<rclcpp::SubscriptionBase> subscription, rclcpp::SubscriptionWaitSetMask mask = {})
  {
    if (mask.include_subscription || !subscription) {
      remove(subscription);
    }
    if (mask.include_events) {
      for (const auto & [kind, handler] : subscription->get_event_handlers()) {
        remove_waitable(handler);
      }
    }
  }
  void add_guard_condition(std::shared_ptr<rclcpp::GuardCondition> guard_condition) {add(guard_condition);}
  void remove_guard_condition(std::shared_ptr<rclcpp::GuardCondition> guard_condition) {remove(guard_condition);}
  void add_timer(std::shared_ptr<rclcpp::TimerBase> timer) {add(timer);}
  void remove_timer(std::shared_ptr<rclcpp::TimerBase> timer) {remove(timer);}
  void add_client(std::shared_ptr<rclcpp::ClientBase> client) {add(client);}
  void remove_client(std::shared_ptr<rclcpp::ClientBase> client) {remove(client);}
  void add_service(std::shared_ptr<rclcpp::ServiceBase> service) {add(service);}
  void remove_service(std::shared_ptr<rclcpp::ServiceBase> service) {remove(service);}
  void add_waitable(std::shared_ptr<rclcpp::Waitable> waitable, std::shared_ptr<void> = nullptr) {add(waitable);}
  void remove_waitable(std::shared_ptr<rclcpp::Waitable> waitable) {remove(waitable);}
  /// Forgets the entities that do not exist any more.
  void prune_deleted_entities() {core_.prune();}

  /// Waits until an entity is ready. A negative timeout is none.
  template<class Rep = int64_t, class Period = std::milli>
  [[nodiscard]] WaitResult<WaitSetTemplate> wait(
    std::chrono::duration<Rep, Period> time_to_wait = std::chrono::duration<Rep, Period>(-1))
  {
    using Result = WaitResult<WaitSetTemplate>;
    switch (core_.wait(std::chrono::duration_cast<std::chrono::nanoseconds>(time_to_wait))) {
      case WaitResultKind::Ready: return Result::from_ready_wait_result_kind(*this);
      case WaitResultKind::Timeout: return Result::from_timeout_wait_result_kind();
      default: return Result::from_empty_wait_result_kind();
    }
  }

  // The entities of the last wait, in the order of get_rcl_wait_set().
  size_t size_of_subscriptions() const {return core_.template waited<SubscriptionBase>().size();}
  size_t size_of_timers() const {return core_.template waited<TimerBase>().size();}
  size_t size_of_clients() const {return core_.template waited<ClientBase>().size();}
  size_t size_of_services() const {return core_.template waited<ServiceBase>().size();}
  size_t size_of_waitables() const {return core_.template waited<Waitable>().size();}
  std::shared_ptr<rclcpp::SubscriptionBase> subscriptions(size_t index) const
  {
    return core_.template waited<SubscriptionBase>().at(index);
  }
  std::shared_ptr<rclcpp::TimerBase> timers(size_t index) const {return core_.template waited<TimerBase>().at(index);}
  std::shared_ptr<rclcpp::ClientBase> clients(size_t index) const
  {
    return core_.template waited<ClientBase>().at(index);
  }
  std::shared_ptr<rclcpp::ServiceBase> services(size_t index) const
  {
    return core_.template waited<ServiceBase>().at(index);
  }
  std::shared_ptr<rclcpp::Waitable> waitables(size_t index) const {return core_.template waited<Waitable>().at(index);}
  /// Returns how often entities were added or removed.
  uint64_t changes() const {return core_.changes();}

private:
  friend class WaitResult<WaitSetTemplate>;

  template<typename Entities>
  void add_first(const Entities & entities)
  {
    for (const auto & entity : entities) {
      if (exists(entity)) {
        core_.add(entity, true);
      }
    }
  }
  template<typename T>
  static bool exists(const std::shared_ptr<T> & entity)
  {
    if (StoragePolicy::IS_FIXED && !entity) {
      throw std::runtime_error("unexpected condition, fixed storage policy needs pruning");
    }
    return entity != nullptr;
  }
  template<typename T>
  void add(const std::shared_ptr<T> & entity)
  {
    static_assert(!StoragePolicy::IS_FIXED || sizeof(T) == 0, "nothing can be added to a wait set of fixed size");
    core_.add(entity);
  }
  template<typename T>
  void remove(const std::shared_ptr<T> & entity)
  {
    static_assert(!StoragePolicy::IS_FIXED || sizeof(T) == 0, "nothing can be removed from a wait set of fixed size");
    core_.remove(entity);
  }

  detail::WaitSetCore core_;
};

}  // namespace rclcpp

#endif  // RCLCPP__WAIT_SET_TEMPLATE_HPP_
