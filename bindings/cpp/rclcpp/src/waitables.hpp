// Waitables in executors.
#ifndef WAITABLES_HPP_
#define WAITABLES_HPP_

#include <memory>

#include "libsaltus.hpp"
#include "rclcpp/callback_group.hpp"
#include "rclcpp/waitable.hpp"

namespace rclcpp::detail
{

/// The guard conditions of a waitable, in a wait set of its own.
class WaitableSet
{
public:
  explicit WaitableSet(Waitable & waitable);
  WaitableSet(const WaitableSet &) = delete;
  WaitableSet & operator=(const WaitableSet &) = delete;
  ~WaitableSet();

  /// Removes the guard conditions that were not triggered.
  void keep_triggered();
  const rcl_wait_set_t & get() const {return set_;}

private:
  rcl_wait_set_t set_;
};

/// Runs a waitable in an executor whenever one of its guard conditions is triggered, or it says that it is ready.
class WaitableRunner : public std::enable_shared_from_this<WaitableRunner>
{
public:
  explicit WaitableRunner(const std::shared_ptr<Waitable> & waitable)
  : waitable_(waitable) {}
  WaitableRunner(const WaitableRunner &) = delete;
  WaitableRunner & operator=(const WaitableRunner &) = delete;
  ~WaitableRunner();

  void open(saltus_node_t * node, const CallbackGroup::SharedPtr & group);
  /// Does not run it any more.
  void close();
  /// Whether it is for a waitable, or for one that has gone.
  bool is_for(const Waitable * waitable) const;

private:
  static saltus_next_t on_trigger(void * context);
  void run();
  void listen();

  std::weak_ptr<Waitable> waitable_;
  std::shared_ptr<saltus_guard_t> guard_;
};

}  // namespace rclcpp::detail

#endif  // WAITABLES_HPP_
