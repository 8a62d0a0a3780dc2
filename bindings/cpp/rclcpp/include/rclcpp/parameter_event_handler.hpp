#ifndef RCLCPP__PARAMETER_EVENT_HANDLER_HPP_
#define RCLCPP__PARAMETER_EVENT_HANDLER_HPP_

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "rcl_interfaces/msg/parameter_event.hpp"
#include "rclcpp/create_subscription.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/parameter.hpp"
#include "rclcpp/qos.hpp"
#include "rclcpp/subscription.hpp"
#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{

/// Keeps a callback for one parameter.
struct ParameterCallbackHandle
{
  RCLCPP_SMART_PTR_DEFINITIONS(ParameterCallbackHandle)

  using ParameterCallbackType = std::function<void (const rclcpp::Parameter &)>;

  std::string parameter_name;
  std::string node_name;
  ParameterCallbackType callback;
};

/// Keeps a callback for all changes of parameters.
struct ParameterEventCallbackHandle
{
  RCLCPP_SMART_PTR_DEFINITIONS(ParameterEventCallbackHandle)

  using ParameterEventCallbackType = std::function<void (const rcl_interfaces::msg::ParameterEvent &)>;

  ParameterEventCallbackType callback;
};

/// Calls functions when parameters change, of any node. A function is called as long as its handle exists, and the function that
/// was added last is called first.
class RCLCPP_PUBLIC ParameterEventHandler
{
public:
  using ParameterCallbackType = ParameterCallbackHandle::ParameterCallbackType;
  using ParameterEventCallbackType = ParameterEventCallbackHandle::ParameterEventCallbackType;

  template<typename NodeT>
  explicit ParameterEventHandler(NodeT node, const rclcpp::QoS & qos = rclcpp::ParameterEventsQoS())
  : node_base_(node_interfaces::get_node_base_interface(node)), callbacks_(std::make_shared<Callbacks>()),
    subscription_(create_subscription<rcl_interfaces::msg::ParameterEvent>(
        node, "/parameter_events", qos,
        [callbacks = callbacks_](const rcl_interfaces::msg::ParameterEvent & event) {callbacks->event_callback(event);})) {}

  [[nodiscard]] ParameterEventCallbackHandle::SharedPtr add_parameter_event_callback(
    ParameterEventCallbackType callback);
  /// \throws std::runtime_error if the callback is unknown
  void remove_parameter_event_callback(ParameterEventCallbackHandle::SharedPtr callback_handle);

  /// The node is that of this handler if there is no name. A relative name is one in the namespace of this node.
  [[nodiscard]] ParameterCallbackHandle::SharedPtr add_parameter_callback(
    const std::string & parameter_name, ParameterCallbackType callback, const std::string & node_name = "");
  /// \throws std::runtime_error if the callback is unknown
  void remove_parameter_callback(ParameterCallbackHandle::SharedPtr callback_handle);

  /// Gets a parameter that an event has as new or changed. Returns false if there is none. An empty name of the node is any.
  static bool get_parameter_from_event(
    const rcl_interfaces::msg::ParameterEvent & event, rclcpp::Parameter & parameter,
    const std::string & parameter_name, const std::string & node_name = "");
  /// The parameter has no value if the event of the node does not have it.
  /// \throws std::runtime_error if the event is one of another node
  static rclcpp::Parameter get_parameter_from_event(
    const rcl_interfaces::msg::ParameterEvent & event, const std::string & parameter_name,
    const std::string & node_name = "");
  static std::vector<rclcpp::Parameter> get_parameters_from_event(const rcl_interfaces::msg::ParameterEvent & event);

protected:
  /// The callbacks, in the order in which they are called. A callback may add and remove others.
  struct RCLCPP_PUBLIC Callbacks
  {
    std::recursive_mutex mutex_;
    std::vector<ParameterCallbackHandle::WeakPtr> parameter_callbacks_;
    std::vector<ParameterEventCallbackHandle::WeakPtr> event_callbacks_;

    void event_callback(const rcl_interfaces::msg::ParameterEvent & event);
  };

  std::string full_name(const std::string & node_name) const;

  node_interfaces::NodeBaseInterface::SharedPtr node_base_;
  std::shared_ptr<Callbacks> callbacks_;
  rclcpp::Subscription<rcl_interfaces::msg::ParameterEvent>::SharedPtr subscription_;
};

}  // namespace rclcpp

#endif  // RCLCPP__PARAMETER_EVENT_HANDLER_HPP_
