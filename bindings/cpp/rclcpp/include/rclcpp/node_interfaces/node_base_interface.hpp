#ifndef RCLCPP__NODE_INTERFACES__NODE_BASE_INTERFACE_HPP_
#define RCLCPP__NODE_INTERFACES__NODE_BASE_INTERFACE_HPP_

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "rclcpp/callback_group.hpp"
#include "rclcpp/context.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/node_interfaces/detail/node_interfaces_helpers.hpp"
#include "rclcpp/visibility_control.hpp"

struct rcl_node_s;
struct saltus_node_t;

namespace rclcpp
{
namespace node_interfaces
{

/// The names, the context and the callback groups of a node.
class RCLCPP_PUBLIC NodeBaseInterface
{
public:
  RCLCPP_SMART_PTR_ALIASES_ONLY(NodeBaseInterface)

  using CallbackGroupFunction = std::function<void (rclcpp::CallbackGroup::SharedPtr)>;

  virtual ~NodeBaseInterface() = default;

  virtual const char * get_name() const = 0;
  virtual const char * get_namespace() const = 0;
  virtual const char * get_fully_qualified_name() const = 0;
  virtual rclcpp::Context::SharedPtr get_context() = 0;
  virtual rclcpp::CallbackGroup::SharedPtr create_callback_group(
    rclcpp::CallbackGroupType group_type, bool automatically_add_to_executor_with_node = true) = 0;
  virtual rclcpp::CallbackGroup::SharedPtr get_default_callback_group() = 0;
  virtual bool callback_group_in_node(rclcpp::CallbackGroup::SharedPtr group) = 0;
  virtual void for_each_callback_group(const CallbackGroupFunction & func) = 0;
  /// Whether an executor has the node.
  virtual std::atomic_bool & get_associated_with_executor_atomic() = 0;
  virtual bool get_use_intra_process_default() const = 0;
  virtual bool get_enable_topic_statistics_default() const = 0;
  /// Returns the full name of a topic or service that the node calls `name`.
  virtual std::string resolve_topic_or_service_name(
    const std::string & name, bool is_service, bool only_expand = false) const = 0;

  /// Returns the node for functions of rcl.
  virtual rcl_node_s * get_rcl_node_handle() = 0;
  virtual const rcl_node_s * get_rcl_node_handle() const = 0;
  virtual std::shared_ptr<rcl_node_s> get_shared_rcl_node_handle() = 0;
  virtual std::shared_ptr<const rcl_node_s> get_shared_rcl_node_handle() const = 0;

  /// Returns the node of libsaltus. Entities keep it.
  virtual std::shared_ptr<saltus_node_t> get_shared_saltus_node() const = 0;
};

}  // namespace node_interfaces
}  // namespace rclcpp

RCLCPP_NODE_INTERFACE_HELPERS_SUPPORT(rclcpp::node_interfaces::NodeBaseInterface, base)

#endif  // RCLCPP__NODE_INTERFACES__NODE_BASE_INTERFACE_HPP_
