#ifndef RCLCPP__WAIT_RESULT_HPP_
#define RCLCPP__WAIT_RESULT_HPP_

#include <memory>
#include <stdexcept>
#include <utility>

#include "rclcpp/client.hpp"
#include "rclcpp/service.hpp"
#include "rclcpp/subscription_base.hpp"
#include "rclcpp/timer.hpp"
#include "rclcpp/wait_result_kind.hpp"
#include "rclcpp/waitable.hpp"

namespace rclcpp
{

/// How a wait of a wait set has ended, and what is ready then.
template<class WaitSetT>
class WaitResult final
{
public:
  static WaitResult from_ready_wait_result_kind(WaitSetT & wait_set)
  {
    return WaitResult(WaitResultKind::Ready, &wait_set);
  }
  static WaitResult from_timeout_wait_result_kind() {return WaitResult(WaitResultKind::Timeout, nullptr);}
  static WaitResult from_empty_wait_result_kind() {return WaitResult(WaitResultKind::Empty, nullptr);}

  WaitResult(WaitResult && other) noexcept
  : kind_(other.kind_), wait_set_(std::exchange(other.wait_set_, nullptr)), changes_(other.changes_),
    wait_(other.wait_),
    next_waitable_(other.next_waitable_) {}
  /// Lets the entities go.
  ~WaitResult()
  {
    if (wait_set_ != nullptr) {
      wait_set_->core_.release(wait_);
    }
  }
  WaitResult(const WaitResult &) = delete;
  WaitResult & operator=(const WaitResult &) = delete;

  WaitResultKind kind() const {return kind_;}
  /// \throws std::runtime_error if nothing is ready
  const WaitSetT & get_wait_set() const {return *checked();}
  WaitSetT & get_wait_set() {return *checked();}

  /// Returns the next timer that is ready from an index on, with its index.
  std::pair<std::shared_ptr<rclcpp::TimerBase>, size_t> peek_next_ready_timer(size_t start_index = 0)
  {
    if (is_ready()) {
      const auto & set = wait_set_->get_rcl_wait_set();
      for (size_t index = start_index; index < set.size_of_timers; ++index) {
        if (set.timers[index] != nullptr) {
          return {wait_set_->timers(index), index};
        }
      }
      return {nullptr, set.size_of_timers};
    }
    return {nullptr, start_index};
  }
  /// Removes a timer from what is ready.
  /// \throws std::out_of_range if there is none with this index
  void clear_timer_with_index(size_t index)
  {
    if (index >= get_wait_set().size_of_timers()) {
      throw std::out_of_range("given timer index is out of range");
    }
    wait_set_->get_rcl_wait_set().timers[index] = nullptr;
  }

  // Each of these functions returns an entity that is ready, and removes it from what is ready; or nothing.
  std::shared_ptr<rclcpp::SubscriptionBase> next_ready_subscription()
  {
    const size_t index = next([](const auto & set) {return std::make_pair(set.subscriptions, set.size_of_subscriptions);});
    return index == NONE ? nullptr : wait_set_->subscriptions(index);
  }
  std::shared_ptr<rclcpp::ServiceBase> next_ready_service()
  {
    const size_t index = next([](const auto & set) {return std::make_pair(set.services, set.size_of_services);});
    return index == NONE ? nullptr : wait_set_->services(index);
  }
  std::shared_ptr<rclcpp::ClientBase> next_ready_client()
  {
    const size_t index = next([](const auto & set) {return std::make_pair(set.clients, set.size_of_clients);});
    return index == NONE ? nullptr : wait_set_->clients(index);
  }
  std::shared_ptr<rclcpp::Waitable> next_ready_waitable()
  {
    while (is_ready() && next_waitable_ < wait_set_->size_of_waitables()) {
      auto waitable = wait_set_->waitables(next_waitable_++);
      if (waitable->is_ready(wait_set_->get_rcl_wait_set())) {
        return waitable;
      }
    }
    return nullptr;
  }

private:
  static constexpr size_t NONE = SIZE_MAX;

  WaitResult(WaitResultKind kind, WaitSetT * wait_set)
  : kind_(kind), wait_set_(wait_set), changes_(wait_set == nullptr ? 0 : wait_set->changes()),
    wait_(wait_set == nullptr ? 0 : wait_set->core_.waits()) {}

  WaitSetT * checked() const
  {
    if (kind_ != WaitResultKind::Ready || wait_set_ == nullptr) {
      throw std::runtime_error("cannot access wait set when the result was not ready");
    }
    return wait_set_;
  }

  /// Whether something is ready. After a change of the wait set, the indexes are not valid any more.
  bool is_ready()
  {
    if (kind_ == WaitResultKind::Ready && wait_set_->changes() != changes_) {
      kind_ = WaitResultKind::Invalid;
    }
    return kind_ == WaitResultKind::Ready;
  }

  template<typename Select>
  size_t next(Select select)
  {
    if (is_ready()) {
      const auto [entries, count] = select(wait_set_->get_rcl_wait_set());
      for (size_t index = 0; index < count; ++index) {
        if (entries[index] != nullptr) {
          entries[index] = nullptr;
          return index;
        }
      }
    }
    return NONE;
  }

  WaitResultKind kind_;
  WaitSetT * wait_set_;
  uint64_t changes_;
  uint64_t wait_;
  size_t next_waitable_ = 0;
};

}  // namespace rclcpp

#endif  // RCLCPP__WAIT_RESULT_HPP_
