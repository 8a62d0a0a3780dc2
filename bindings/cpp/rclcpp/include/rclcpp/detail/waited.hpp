#ifndef RCLCPP__DETAIL__WAITED_HPP_
#define RCLCPP__DETAIL__WAITED_HPP_

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "rclcpp/callback_group.hpp"
#include "rclcpp/context.hpp"
#include "rclcpp/visibility_control.hpp"

struct saltus_executor_t;

namespace rclcpp::detail
{

/// Waits for the entities of a wait set. While it waits, it runs the callbacks of their groups. These keep what has come for the
/// program, and do not call the callbacks of the program.
class RCLCPP_PUBLIC Waiter : public std::enable_shared_from_this<Waiter>
{
public:
  explicit Waiter(Context::SharedPtr context);
  Waiter(const Waiter &) = delete;
  Waiter & operator=(const Waiter &) = delete;
  ~Waiter();

  /// Waits until a condition holds, and returns whether it does. A negative timeout is none. It returns early if the context is
  /// shut down. `groups` are those of the entities.
  bool wait(
    const std::vector<CallbackGroup::SharedPtr> & groups, const std::function<bool()> & holds,
    std::chrono::nanoseconds timeout);
  /// Makes the thread that waits look at its condition again. May be called on any thread.
  void wake();
  /// Leaves all groups.
  void leave();

  /// Whether this thread runs callbacks for a wait set.
  static bool is_collecting();

private:
  void open(const Context::SharedPtr & context);
  void join(const std::vector<CallbackGroup::SharedPtr> & groups);
  /// Runs one callback. Returns false if it can't wait any more.
  bool step(std::chrono::nanoseconds timeout);

  Context::SharedPtr context_;
  std::mutex mutex_;
  std::shared_ptr<saltus_executor_t> executor_;
  std::vector<CallbackGroup::SharedPtr> joined_;
};

/// What an entity has for a wait set.
class RCLCPP_PUBLIC Waited
{
public:
  /// `group` is that of the entity.
  explicit Waited(CallbackGroup::SharedPtr group = nullptr)
  : group_(std::move(group)) {}

  /// Sets whether a wait set has the entity. Returns whether one had it before.
  bool exchange(bool is_in_use) {return is_in_use_.exchange(is_in_use);}
  /// Sets who waits for the entity.
  void set_waiter(std::weak_ptr<Waiter> waiter);
  /// Whether a wait set has the entity: its callback must keep what has come for the program.
  bool is_in_use() const {return is_in_use_;}
  /// Whether a callback must keep what has come for the program, because a wait set has the entity or one of its group.
  bool keeps() const {return is_in_use_ || Waiter::is_collecting();}
  /// Wakes who waits for the entity.
  void notify() const;
  const CallbackGroup::SharedPtr & group() const {return group_;}

private:
  CallbackGroup::SharedPtr group_;
  std::atomic_bool is_in_use_{false};
  mutable std::mutex mutex_;
  std::weak_ptr<Waiter> waiter_;
};

}  // namespace rclcpp::detail

#endif  // RCLCPP__DETAIL__WAITED_HPP_
