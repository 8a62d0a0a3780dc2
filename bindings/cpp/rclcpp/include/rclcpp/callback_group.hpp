#ifndef RCLCPP__CALLBACK_GROUP_HPP_
#define RCLCPP__CALLBACK_GROUP_HPP_

#include <atomic>
#include <memory>
#include <mutex>

#include "rclcpp/context.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/visibility_control.hpp"

struct saltus_group_t;

namespace rclcpp
{
namespace node_interfaces
{
class NodeBaseInterface;
}

class GuardCondition;

enum class CallbackGroupType
{
  /// At most one callback of the group runs at a time.
  MutuallyExclusive,
  /// Callbacks of the group may run at the same time.
  Reentrant,
};

/// Says which callbacks may run at the same time. It exists as long as there is a pointer to it, or a callback in it.
class RCLCPP_PUBLIC CallbackGroup
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(CallbackGroup)

  /// Takes over a group of libsaltus. Use Node::create_callback_group().
  CallbackGroup(
    std::shared_ptr<saltus_group_t> handle, std::weak_ptr<node_interfaces::NodeBaseInterface> node,
    CallbackGroupType group_type, bool automatically_add_to_executor_with_node);
  /// Makes a group that belongs to no node, so that nothing can be added to it.
  CallbackGroup(
    CallbackGroupType group_type, std::weak_ptr<Context> context, bool automatically_add_to_executor_with_node = true);
  CallbackGroup(const CallbackGroup &) = delete;
  CallbackGroup & operator=(const CallbackGroup &) = delete;
  virtual ~CallbackGroup();

  const CallbackGroupType & type() const {return type_;}
  /// Whether each executor of the node runs the group too.
  bool automatically_add_to_executor_with_node() const {return follows_node_;}
  /// Whether an executor has the group without its node.
  std::atomic_bool & get_associated_with_executor_atomic() {return has_executor_;}
  /// Returns a guard condition of the group, or nothing after the shutdown of its context. It is for programs: executors learn of
  /// new entities without it.
  std::shared_ptr<GuardCondition> get_notify_guard_condition();
  /// Triggers the guard condition, if a program has asked for it.
  void trigger_notify_guard_condition();
  /// Returns the group of libsaltus.
  saltus_group_t * get_saltus_group() const {return handle_.get();}
  /// Returns the node.
  std::shared_ptr<node_interfaces::NodeBaseInterface> get_node_base() const {return node_.lock();}

private:
  std::shared_ptr<saltus_group_t> handle_;
  std::weak_ptr<node_interfaces::NodeBaseInterface> node_;
  std::weak_ptr<Context> context_;
  std::mutex mutex_;
  std::shared_ptr<GuardCondition> guard_condition_;
  const CallbackGroupType type_;
  const bool follows_node_;
  std::atomic_bool has_executor_{false};
};

}  // namespace rclcpp

#endif  // RCLCPP__CALLBACK_GROUP_HPP_
