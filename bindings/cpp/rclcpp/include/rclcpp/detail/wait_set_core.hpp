#ifndef RCLCPP__DETAIL__WAIT_SET_CORE_HPP_
#define RCLCPP__DETAIL__WAIT_SET_CORE_HPP_

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "rcl/wait.h"
#include "rclcpp/client.hpp"
#include "rclcpp/detail/waited.hpp"
#include "rclcpp/guard_condition.hpp"
#include "rclcpp/service.hpp"
#include "rclcpp/subscription_base.hpp"
#include "rclcpp/subscription_wait_set_mask.hpp"
#include "rclcpp/timer.hpp"
#include "rclcpp/visibility_control.hpp"
#include "rclcpp/wait_result_kind.hpp"
#include "rclcpp/waitable.hpp"

namespace rclcpp::detail
{

/// A subscription for a wait set.
class SubscriptionEntry
{
public:
  std::shared_ptr<SubscriptionBase> subscription;
  SubscriptionWaitSetMask mask;

  SubscriptionEntry(
    std::shared_ptr<SubscriptionBase> subscription_in = nullptr, const SubscriptionWaitSetMask & mask_in = {})  // NOLINT
  : subscription(std::move(subscription_in)), mask(mask_in) {}
};

/// A waitable for a wait set, and what must exist as long as it does.
class WaitableEntry
{
public:
  std::shared_ptr<Waitable> waitable;
  std::shared_ptr<void> associated_entity;

  WaitableEntry(
    std::shared_ptr<Waitable> waitable_in = nullptr, std::shared_ptr<void> associated_entity_in = nullptr)  // NOLINT
  : waitable(std::move(waitable_in)), associated_entity(std::move(associated_entity_in)) {}
};

/// The entities of one kind in a wait set.
template<typename T>
struct WaitMembers
{
  std::vector<std::weak_ptr<T>> all;
  /// Those that a wait set of fixed size keeps.
  std::vector<std::shared_ptr<T>> kept;
  /// Those of the last wait.
  std::vector<std::shared_ptr<T>> waited;
};

/// What wait sets of all kinds have in common. Any thread may add and remove entities, also during a wait.
class RCLCPP_PUBLIC WaitSetCore
{
public:
  /// `keeps` is whether the wait set keeps its entities. `may_be_empty` is whether a wait for nothing is a wait.
  WaitSetCore(Context::SharedPtr context, bool keeps, bool may_be_empty);
  WaitSetCore(const WaitSetCore &) = delete;
  WaitSetCore & operator=(const WaitSetCore &) = delete;
  ~WaitSetCore();

  /// Adds an entity. An entity of the constructor may be in another wait set, which then does not have it any more.
  /// \throws std::invalid_argument if there is none; std::runtime_error if a wait set has it
  template<typename T>
  void add(const std::shared_ptr<T> & entity, bool is_first = false);
  /// \throws std::invalid_argument if there is none; std::runtime_error if the wait set does not have it
  template<typename T>
  void remove(const std::shared_ptr<T> & entity);
  /// Forgets the entities that do not exist any more.
  void prune();
  WaitResultKind wait(std::chrono::nanoseconds timeout);
  /// Returns the number of the last wait.
  uint64_t waits() const {return waits_;}
  /// Lets the entities of a wait go, unless another wait has begun.
  void release(uint64_t wait);

  rcl_wait_set_t & get_rcl_wait_set() {return set_;}
  const rcl_wait_set_t & get_rcl_wait_set() const {return set_;}
  /// Returns how often entities were added or removed.
  uint64_t changes() const {return changes_;}
  /// Returns the entities of the last wait.
  template<typename T>
  const std::vector<std::shared_ptr<T>> & waited() const {return std::get<WaitMembers<T>>(members_).waited;}

private:
  template<typename T>
  WaitMembers<T> & of() {return std::get<WaitMembers<T>>(members_);}
  /// Calls a function with the entities of each kind.
  template<typename Function>
  void for_each_kind(Function function)
  {
    function(of<SubscriptionBase>());
    function(of<GuardCondition>());
    function(of<TimerBase>());
    function(of<ClientBase>());
    function(of<ServiceBase>());
    function(of<Waitable>());
  }
  void changed();
  bool begin();
  void fill();
  std::vector<CallbackGroup::SharedPtr> groups();
  bool is_any_ready();
  bool mark_ready();

  std::shared_ptr<Waiter> waiter_;
  const bool keeps_;
  const bool may_be_empty_;
  std::atomic_uint64_t changes_{0};
  std::atomic_uint64_t waits_{0};
  mutable std::mutex mutex_;
  std::tuple<
    WaitMembers<SubscriptionBase>, WaitMembers<GuardCondition>, WaitMembers<TimerBase>, WaitMembers<ClientBase>,
    WaitMembers<ServiceBase>, WaitMembers<Waitable>> members_;
  rcl_wait_set_t set_;
};

}  // namespace rclcpp::detail

#endif  // RCLCPP__DETAIL__WAIT_SET_CORE_HPP_
