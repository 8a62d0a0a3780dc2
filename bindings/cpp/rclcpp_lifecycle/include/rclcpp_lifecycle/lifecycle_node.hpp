#ifndef RCLCPP_LIFECYCLE__LIFECYCLE_NODE_HPP_
#define RCLCPP_LIFECYCLE__LIFECYCLE_NODE_HPP_

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rclcpp/node.hpp"
#include "rclcpp_lifecycle/lifecycle_publisher.hpp"
#include "rclcpp_lifecycle/managed_entity.hpp"
#include "rclcpp_lifecycle/node_interfaces/lifecycle_node_interface.hpp"
#include "rclcpp_lifecycle/state.hpp"
#include "rclcpp_lifecycle/transition.hpp"
#include "rclcpp_lifecycle/visibility_control.h"

namespace rclcpp_lifecycle
{

/// A node whose transitions other nodes request. It has the functions of rclcpp::Node, but is not one.
class RCLCPP_LIFECYCLE_PUBLIC LifecycleNode
  : public node_interfaces::LifecycleNodeInterface, public std::enable_shared_from_this<LifecycleNode>
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(LifecycleNode)

  using CallbackReturn = node_interfaces::LifecycleNodeInterface::CallbackReturn;
  using PreSetParametersCallbackHandle = rclcpp::node_interfaces::PreSetParametersCallbackHandle;
  using OnSetParametersCallbackHandle = rclcpp::node_interfaces::OnSetParametersCallbackHandle;
  using PostSetParametersCallbackHandle = rclcpp::node_interfaces::PostSetParametersCallbackHandle;
  using PreSetParametersCallbackType = PreSetParametersCallbackHandle::PreSetParametersCallbackType;
  using OnSetParametersCallbackType = OnSetParametersCallbackHandle::OnSetParametersCallbackType;
  using PostSetParametersCallbackType = PostSetParametersCallbackHandle::PostSetParametersCallbackType;
  using OnParametersSetCallbackType [[deprecated("use OnSetParametersCallbackType")]] = OnSetParametersCallbackType;

  /// If `enable_communication_interface` is false, the node has no services and no topic for its lifecycle.
  explicit LifecycleNode(
    const std::string & node_name, const rclcpp::NodeOptions & options = rclcpp::NodeOptions(),
    bool enable_communication_interface = true);
  LifecycleNode(
    const std::string & node_name, const std::string & namespace_,
    const rclcpp::NodeOptions & options = rclcpp::NodeOptions(), bool enable_communication_interface = true);
  LifecycleNode(const LifecycleNode &) = delete;
  LifecycleNode & operator=(const LifecycleNode &) = delete;
  /// Does not run on_shutdown().
  ~LifecycleNode() override;

  const char * get_name() const {return node_->get_name();}
  const char * get_namespace() const {return node_->get_namespace();}
  const char * get_fully_qualified_name() const {return node_->get_fully_qualified_name();}
  rclcpp::Logger get_logger() const {return node_->get_logger();}

  rclcpp::CallbackGroup::SharedPtr create_callback_group(
    rclcpp::CallbackGroupType group_type, bool automatically_add_to_executor_with_node = true)
  {
    return node_->create_callback_group(group_type, automatically_add_to_executor_with_node);
  }
  void for_each_callback_group(const rclcpp::node_interfaces::NodeBaseInterface::CallbackGroupFunction & func)
  {
    node_->for_each_callback_group(func);
  }

  /// Creates a publisher that publishes only while the node is active.
  template<typename MessageT, typename AllocatorT = std::allocator<void>>
  std::shared_ptr<LifecyclePublisher<MessageT, AllocatorT>> create_publisher(
    const std::string & topic_name, const rclcpp::QoS & qos,
    const rclcpp::PublisherOptionsWithAllocator<AllocatorT> & options =
    rclcpp::PublisherOptionsWithAllocator<AllocatorT>())
  {
    auto publisher =
      node_->create_publisher<MessageT, AllocatorT, LifecyclePublisher<MessageT, AllocatorT>>(topic_name, qos, options);
    add_managed_entity(publisher);
    return publisher;
  }

  template<
    typename MessageT, typename CallbackT, typename AllocatorT = std::allocator<void>,
    typename SubscriptionT = rclcpp::Subscription<MessageT, AllocatorT>,
    typename MessageMemoryStrategyT = typename SubscriptionT::MessageMemoryStrategyType>
  std::shared_ptr<SubscriptionT> create_subscription(
    const std::string & topic_name, const rclcpp::QoS & qos, CallbackT && callback,
    const rclcpp::SubscriptionOptionsWithAllocator<AllocatorT> & options =
    rclcpp::SubscriptionOptionsWithAllocator<AllocatorT>(),
    typename MessageMemoryStrategyT::SharedPtr = nullptr)
  {
    return node_->create_subscription<MessageT, CallbackT, AllocatorT, SubscriptionT>(
      topic_name, qos, std::forward<CallbackT>(callback), options);
  }

  template<typename DurationRepT = int64_t, typename DurationT = std::milli, typename CallbackT>
  typename rclcpp::WallTimer<CallbackT>::SharedPtr create_wall_timer(
    std::chrono::duration<DurationRepT, DurationT> period, CallbackT callback,
    rclcpp::CallbackGroup::SharedPtr group = nullptr, bool autostart = true)
  {
    return node_->create_wall_timer(period, std::move(callback), group, autostart);
  }
  template<typename DurationRepT = int64_t, typename DurationT = std::milli, typename CallbackT>
  typename rclcpp::GenericTimer<CallbackT>::SharedPtr create_timer(
    std::chrono::duration<DurationRepT, DurationT> period, CallbackT callback,
    rclcpp::CallbackGroup::SharedPtr group = nullptr)
  {
    return node_->create_timer(period, std::move(callback), group);
  }

  template<typename ServiceT>
  typename rclcpp::Client<ServiceT>::SharedPtr create_client(
    const std::string & service_name, const rclcpp::QoS & qos = rclcpp::ServicesQoS(),
    rclcpp::CallbackGroup::SharedPtr group = nullptr)
  {
    return node_->create_client<ServiceT>(service_name, qos, group);
  }
  template<typename ServiceT>
  [[deprecated("use rclcpp::QoS instead of rmw_qos_profile_t")]]
  typename rclcpp::Client<ServiceT>::SharedPtr create_client(
    const std::string & service_name, const rmw_qos_profile_t & qos_profile,
    rclcpp::CallbackGroup::SharedPtr group = nullptr)
  {
    return create_client<ServiceT>(service_name, rclcpp::QoS(rclcpp::QoSInitialization::from_rmw(qos_profile), qos_profile), group);
  }
  template<typename ServiceT, typename CallbackT>
  typename rclcpp::Service<ServiceT>::SharedPtr create_service(
    const std::string & service_name, CallbackT && callback, const rclcpp::QoS & qos = rclcpp::ServicesQoS(),
    rclcpp::CallbackGroup::SharedPtr group = nullptr)
  {
    return node_->create_service<ServiceT>(service_name, std::forward<CallbackT>(callback), qos, group);
  }
  template<typename ServiceT, typename CallbackT>
  [[deprecated("use rclcpp::QoS instead of rmw_qos_profile_t")]]
  typename rclcpp::Service<ServiceT>::SharedPtr create_service(
    const std::string & service_name, CallbackT && callback, const rmw_qos_profile_t & qos_profile,
    rclcpp::CallbackGroup::SharedPtr group = nullptr)
  {
    return create_service<ServiceT>(
      service_name, std::forward<CallbackT>(callback),
      rclcpp::QoS(rclcpp::QoSInitialization::from_rmw(qos_profile), qos_profile), group);
  }

  const rclcpp::ParameterValue & declare_parameter(
    const std::string & name, const rclcpp::ParameterValue & default_value,
    const rcl_interfaces::msg::ParameterDescriptor & parameter_descriptor = rcl_interfaces::msg::ParameterDescriptor(),
    bool ignore_override = false)
  {
    return node_->declare_parameter(name, default_value, parameter_descriptor, ignore_override);
  }
  const rclcpp::ParameterValue & declare_parameter(
    const std::string & name, rclcpp::ParameterType type,
    const rcl_interfaces::msg::ParameterDescriptor & parameter_descriptor = rcl_interfaces::msg::ParameterDescriptor{},
    bool ignore_override = false)
  {
    return node_->declare_parameter(name, type, parameter_descriptor, ignore_override);
  }
  template<typename ParameterT>
  auto declare_parameter(
    const std::string & name, const ParameterT & default_value,
    const rcl_interfaces::msg::ParameterDescriptor & parameter_descriptor = rcl_interfaces::msg::ParameterDescriptor(),
    bool ignore_override = false)
  {
    return node_->declare_parameter(name, default_value, parameter_descriptor, ignore_override);
  }
  template<typename ParameterT>
  auto declare_parameter(
    const std::string & name,
    const rcl_interfaces::msg::ParameterDescriptor & parameter_descriptor = rcl_interfaces::msg::ParameterDescriptor(),
    bool ignore_override = false)
  {
    return node_->declare_parameter<ParameterT>(name, parameter_descriptor, ignore_override);
  }
  template<typename ParameterT>
  std::vector<ParameterT> declare_parameters(
    const std::string & namespace_, const std::map<std::string, ParameterT> & parameters)
  {
    return node_->declare_parameters(namespace_, parameters);
  }
  template<typename ParameterT>
  std::vector<ParameterT> declare_parameters(
    const std::string & namespace_,
    const std::map<std::string, std::pair<ParameterT, rcl_interfaces::msg::ParameterDescriptor>> & parameters)
  {
    return node_->declare_parameters(namespace_, parameters);
  }
  void undeclare_parameter(const std::string & name) {node_->undeclare_parameter(name);}
  bool has_parameter(const std::string & name) const {return node_->has_parameter(name);}
  rcl_interfaces::msg::SetParametersResult set_parameter(const rclcpp::Parameter & parameter)
  {
    return node_->set_parameter(parameter);
  }
  std::vector<rcl_interfaces::msg::SetParametersResult> set_parameters(
    const std::vector<rclcpp::Parameter> & parameters)
  {
    return node_->set_parameters(parameters);
  }
  rcl_interfaces::msg::SetParametersResult set_parameters_atomically(const std::vector<rclcpp::Parameter> & parameters)
  {
    return node_->set_parameters_atomically(parameters);
  }
  rclcpp::Parameter get_parameter(const std::string & name) const {return node_->get_parameter(name);}
  bool get_parameter(const std::string & name, rclcpp::Parameter & parameter) const
  {
    return node_->get_parameter(name, parameter);
  }
  template<typename ParameterT>
  bool get_parameter(const std::string & name, ParameterT & parameter) const
  {
    return node_->get_parameter(name, parameter);
  }
  template<typename ParameterT>
  bool get_parameter_or(const std::string & name, ParameterT & parameter, const ParameterT & alternative_value) const
  {
    return node_->get_parameter_or(name, parameter, alternative_value);
  }
  template<typename ParameterT>
  ParameterT get_parameter_or(const std::string & name, const ParameterT & alternative_value) const
  {
    return node_->get_parameter_or(name, alternative_value);
  }
  std::vector<rclcpp::Parameter> get_parameters(const std::vector<std::string> & names) const
  {
    return node_->get_parameters(names);
  }
  template<typename ParameterT>
  bool get_parameters(const std::string & prefix, std::map<std::string, ParameterT> & values) const
  {
    return node_->get_parameters(prefix, values);
  }
  rcl_interfaces::msg::ParameterDescriptor describe_parameter(const std::string & name) const
  {
    return node_->describe_parameter(name);
  }
  std::vector<rcl_interfaces::msg::ParameterDescriptor> describe_parameters(
    const std::vector<std::string> & names) const
  {
    return node_->describe_parameters(names);
  }
  std::vector<uint8_t> get_parameter_types(const std::vector<std::string> & names) const
  {
    return node_->get_parameter_types(names);
  }
  rcl_interfaces::msg::ListParametersResult list_parameters(
    const std::vector<std::string> & prefixes, uint64_t depth) const
  {
    return node_->list_parameters(prefixes, depth);
  }
  [[nodiscard]] PreSetParametersCallbackHandle::SharedPtr add_pre_set_parameters_callback(
    PreSetParametersCallbackType callback)
  {
    return node_->add_pre_set_parameters_callback(std::move(callback));
  }
  [[nodiscard]] OnSetParametersCallbackHandle::SharedPtr add_on_set_parameters_callback(
    OnSetParametersCallbackType callback)
  {
    return node_->add_on_set_parameters_callback(std::move(callback));
  }
  [[nodiscard]] PostSetParametersCallbackHandle::SharedPtr add_post_set_parameters_callback(
    PostSetParametersCallbackType callback)
  {
    return node_->add_post_set_parameters_callback(std::move(callback));
  }
  void remove_pre_set_parameters_callback(const PreSetParametersCallbackHandle * const handler)
  {
    node_->remove_pre_set_parameters_callback(handler);
  }
  void remove_on_set_parameters_callback(const OnSetParametersCallbackHandle * const handler)
  {
    node_->remove_on_set_parameters_callback(handler);
  }
  void remove_post_set_parameters_callback(const PostSetParametersCallbackHandle * const handler)
  {
    node_->remove_post_set_parameters_callback(handler);
  }

  std::vector<std::string> get_node_names() const {return node_->get_node_names();}
  std::map<std::string, std::vector<std::string>> get_topic_names_and_types(bool = false) const
  {
    return node_->get_topic_names_and_types();
  }
  std::map<std::string, std::vector<std::string>> get_service_names_and_types() const
  {
    return node_->get_service_names_and_types();
  }
  std::map<std::string, std::vector<std::string>> get_service_names_and_types_by_node(
    const std::string & node_name, const std::string & namespace_) const
  {
    return node_->get_service_names_and_types_by_node(node_name, namespace_);
  }
  size_t count_publishers(const std::string & topic_name) const {return node_->count_publishers(topic_name);}
  size_t count_subscribers(const std::string & topic_name) const {return node_->count_subscribers(topic_name);}
  size_t count_clients(const std::string & service_name) const {return node_->count_clients(service_name);}
  size_t count_services(const std::string & service_name) const {return node_->count_services(service_name);}
  std::vector<rclcpp::TopicEndpointInfo> get_publishers_info_by_topic(
    const std::string & topic_name, bool no_mangle = false) const
  {
    return node_->get_publishers_info_by_topic(topic_name, no_mangle);
  }
  std::vector<rclcpp::TopicEndpointInfo> get_subscriptions_info_by_topic(
    const std::string & topic_name, bool no_mangle = false) const
  {
    return node_->get_subscriptions_info_by_topic(topic_name, no_mangle);
  }
  rclcpp::Event::SharedPtr get_graph_event() {return node_->get_graph_event();}
  void wait_for_graph_change(rclcpp::Event::SharedPtr event, std::chrono::nanoseconds timeout)
  {
    node_->wait_for_graph_change(event, timeout);
  }

  rclcpp::Clock::SharedPtr get_clock() {return node_->get_clock();}
  rclcpp::Clock::ConstSharedPtr get_clock() const {return std::as_const(*node_).get_clock();}
  rclcpp::Time now() const {return node_->now();}

  rclcpp::node_interfaces::NodeBaseInterface::SharedPtr get_node_base_interface()
  {
    return node_->get_node_base_interface();
  }
  rclcpp::node_interfaces::NodeClockInterface::SharedPtr get_node_clock_interface()
  {
    return node_->get_node_clock_interface();
  }
  rclcpp::node_interfaces::NodeGraphInterface::SharedPtr get_node_graph_interface()
  {
    return node_->get_node_graph_interface();
  }
  rclcpp::node_interfaces::NodeLoggingInterface::SharedPtr get_node_logging_interface()
  {
    return node_->get_node_logging_interface();
  }
  rclcpp::node_interfaces::NodeTimersInterface::SharedPtr get_node_timers_interface()
  {
    return node_->get_node_timers_interface();
  }
  rclcpp::node_interfaces::NodeTopicsInterface::SharedPtr get_node_topics_interface()
  {
    return node_->get_node_topics_interface();
  }
  rclcpp::node_interfaces::NodeServicesInterface::SharedPtr get_node_services_interface()
  {
    return node_->get_node_services_interface();
  }
  rclcpp::node_interfaces::NodeWaitablesInterface::SharedPtr get_node_waitables_interface()
  {
    return node_->get_node_waitables_interface();
  }
  rclcpp::node_interfaces::NodeParametersInterface::SharedPtr get_node_parameters_interface()
  {
    return node_->get_node_parameters_interface();
  }
  rclcpp::node_interfaces::NodeTimeSourceInterface::SharedPtr get_node_time_source_interface()
  {
    return node_->get_node_time_source_interface();
  }
  rclcpp::node_interfaces::NodeTypeDescriptionsInterface::SharedPtr get_node_type_descriptions_interface()
  {
    return node_->get_node_type_descriptions_interface();
  }
  const rclcpp::NodeOptions & get_node_options() const {return node_->get_node_options();}

  const State & get_current_state() const;
  std::vector<State> get_available_states() const;
  /// Returns the transitions that begin in the current state.
  std::vector<Transition> get_available_transitions() const;
  std::vector<Transition> get_transition_graph() const;

  /// Executes a transition. Returns the new state. If it is not possible now, it is logged, and the state stays.
  const State & trigger_transition(const Transition & transition);
  const State & trigger_transition(
    const Transition & transition, LifecycleNodeInterface::CallbackReturn & cb_return_code);
  const State & trigger_transition(uint8_t transition_id);
  const State & trigger_transition(
    uint8_t transition_id, LifecycleNodeInterface::CallbackReturn & cb_return_code);
  const State & configure();
  const State & configure(LifecycleNodeInterface::CallbackReturn & cb_return_code);
  const State & cleanup();
  const State & cleanup(LifecycleNodeInterface::CallbackReturn & cb_return_code);
  const State & activate();
  const State & activate(LifecycleNodeInterface::CallbackReturn & cb_return_code);
  const State & deactivate();
  const State & deactivate(LifecycleNodeInterface::CallbackReturn & cb_return_code);
  /// Shuts the node down, from whichever state it is in.
  const State & shutdown();
  const State & shutdown(LifecycleNodeInterface::CallbackReturn & cb_return_code);

  /// Sets the callback of a transition, in place of the function of the class. Returns true.
  bool register_on_configure(std::function<CallbackReturn(const State &)> fcn);
  bool register_on_cleanup(std::function<CallbackReturn(const State &)> fcn);
  bool register_on_shutdown(std::function<CallbackReturn(const State &)> fcn);
  bool register_on_activate(std::function<CallbackReturn(const State &)> fcn);
  bool register_on_deactivate(std::function<CallbackReturn(const State &)> fcn);
  bool register_on_error(std::function<CallbackReturn(const State &)> fcn);

  /// Activates and deactivates what the node manages. A function that overrides it calls it.
  CallbackReturn on_activate(const State & previous_state) override;
  CallbackReturn on_deactivate(const State & previous_state) override;

  /// Activates and deactivates an entity with the node. The node does not keep it.
  void add_managed_entity(std::weak_ptr<ManagedEntityInterface> managed_entity);

protected:
  /// Timers need no activation.
  void add_timer_handle(std::shared_ptr<rclcpp::TimerBase>) {}

private:
  struct Impl;

  const State & change(uint8_t transition, CallbackReturn & result);

  rclcpp::Node::SharedPtr node_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rclcpp_lifecycle

#endif  // RCLCPP_LIFECYCLE__LIFECYCLE_NODE_HPP_
