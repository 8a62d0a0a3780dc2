#include "rclcpp/callback_group.hpp"

#include "rclcpp/guard_condition.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"

namespace rclcpp
{

CallbackGroup::CallbackGroup(
  std::shared_ptr<saltus_group_t> handle, std::weak_ptr<node_interfaces::NodeBaseInterface> node,
  CallbackGroupType group_type, bool automatically_add_to_executor_with_node)
: handle_(std::move(handle)), node_(std::move(node)), type_(group_type),
  follows_node_(automatically_add_to_executor_with_node)
{
  if (const auto base = node_.lock()) {
    context_ = base->get_context();
  }
}

CallbackGroup::CallbackGroup(
  CallbackGroupType group_type, std::weak_ptr<Context> context, bool automatically_add_to_executor_with_node)
: context_(std::move(context)), type_(group_type), follows_node_(automatically_add_to_executor_with_node) {}

CallbackGroup::~CallbackGroup() = default;

std::shared_ptr<GuardCondition> CallbackGroup::get_notify_guard_condition()
{
  std::lock_guard<std::mutex> lock(mutex_);
  const auto context = context_.lock();
  if (!context || !context->is_valid()) {
    return nullptr;
  }
  if (!guard_condition_) {
    guard_condition_ = std::make_shared<GuardCondition>(context);
  }
  return guard_condition_;
}

void CallbackGroup::trigger_notify_guard_condition()
{
  std::lock_guard<std::mutex> lock(mutex_);
  if (guard_condition_) {
    guard_condition_->trigger();
  }
}

}  // namespace rclcpp
