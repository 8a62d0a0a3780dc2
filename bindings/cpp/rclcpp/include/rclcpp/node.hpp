#ifndef RCLCPP__NODE_HPP_
#define RCLCPP__NODE_HPP_

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "rcl_interfaces/msg/list_parameters_result.hpp"
#include "rcl_interfaces/msg/parameter_descriptor.hpp"
#include "rcl_interfaces/msg/parameter_event.hpp"
#include "rcl_interfaces/msg/set_parameters_result.hpp"
#include "rclcpp/callback_group.hpp"
#include "rclcpp/client.hpp"
#include "rclcpp/clock.hpp"
#include "rclcpp/create_client.hpp"
#include "rclcpp/create_generic_client.hpp"
#include "rclcpp/create_generic_publisher.hpp"
#include "rclcpp/create_generic_subscription.hpp"
#include "rclcpp/create_publisher.hpp"
#include "rclcpp/create_service.hpp"
#include "rclcpp/create_subscription.hpp"
#include "rclcpp/create_timer.hpp"
#include "rclcpp/detail/standard_headers.hpp"
#include "rclcpp/event.hpp"
#include "rclcpp/logger.hpp"
#include "rclcpp/logging.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/message_memory_strategy.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/node_interfaces/node_clock_interface.hpp"
#include "rclcpp/node_interfaces/node_graph_interface.hpp"
#include "rclcpp/node_interfaces/node_logging_interface.hpp"
#include "rclcpp/node_interfaces/node_parameters_interface.hpp"
#include "rclcpp/node_interfaces/node_services_interface.hpp"
#include "rclcpp/node_interfaces/node_time_source_interface.hpp"
#include "rclcpp/node_interfaces/node_timers_interface.hpp"
#include "rclcpp/node_interfaces/node_topics_interface.hpp"
#include "rclcpp/node_interfaces/node_type_descriptions_interface.hpp"
#include "rclcpp/node_interfaces/node_waitables_interface.hpp"
#include "rclcpp/node_options.hpp"
#include "rclcpp/parameter.hpp"
#include "rclcpp/publisher.hpp"
#include "rclcpp/publisher_options.hpp"
#include "rclcpp/qos.hpp"
#include "rclcpp/service.hpp"
#include "rclcpp/subscription.hpp"
#include "rclcpp/subscription_options.hpp"
#include "rclcpp/time.hpp"
#include "rclcpp/timer.hpp"
#include "rclcpp/utilities.hpp"
#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{
namespace detail
{

class NodeCore;

/// Returns a name below a sub-namespace, unless the name is absolute or begins with ~.
RCLCPP_PUBLIC std::string extend_name_with_sub_namespace(const std::string & name, const std::string & sub_namespace);

}  // namespace detail

/// A node.
class RCLCPP_PUBLIC Node : public std::enable_shared_from_this<Node>
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(Node)

  using PreSetParametersCallbackHandle = rclcpp::node_interfaces::PreSetParametersCallbackHandle;
  using OnSetParametersCallbackHandle = rclcpp::node_interfaces::OnSetParametersCallbackHandle;
  using PostSetParametersCallbackHandle = rclcpp::node_interfaces::PostSetParametersCallbackHandle;
  using PreSetParametersCallbackType = PreSetParametersCallbackHandle::PreSetParametersCallbackType;
  using OnSetParametersCallbackType = OnSetParametersCallbackHandle::OnSetParametersCallbackType;
  using OnParametersSetCallbackType [[deprecated("use OnSetParametersCallbackType")]] = OnSetParametersCallbackType;
  using PostSetParametersCallbackType = PostSetParametersCallbackHandle::PostSetParametersCallbackType;

  /// \throws rclcpp::exceptions::InvalidNodeNameError, InvalidNamespaceError, RCLError if the context is not valid
  explicit Node(const std::string & node_name, const NodeOptions & options = NodeOptions());
  explicit Node(
    const std::string & node_name, const std::string & namespace_, const NodeOptions & options = NodeOptions());
  virtual ~Node();

  const char * get_name() const;
  const char * get_namespace() const;
  const char * get_fully_qualified_name() const;
  rclcpp::Logger get_logger() const;

  /// Creates a callback group. The node does not keep it.
  rclcpp::CallbackGroup::SharedPtr create_callback_group(
    rclcpp::CallbackGroupType group_type, bool automatically_add_to_executor_with_node = true);
  void for_each_callback_group(const node_interfaces::NodeBaseInterface::CallbackGroupFunction & func);

  template<
    typename MessageT, typename AllocatorT = std::allocator<void>,
    typename PublisherT = rclcpp::Publisher<MessageT, AllocatorT>>
  std::shared_ptr<PublisherT> create_publisher(
    const std::string & topic_name, const rclcpp::QoS & qos,
    const PublisherOptionsWithAllocator<AllocatorT> & options = PublisherOptionsWithAllocator<AllocatorT>())
  {
    return rclcpp::create_publisher<MessageT, AllocatorT, PublisherT>(*this, extended(topic_name), qos, options);
  }

  template<
    typename MessageT, typename CallbackT, typename AllocatorT = std::allocator<void>,
    typename SubscriptionT = rclcpp::Subscription<MessageT, AllocatorT>,
    typename MessageMemoryStrategyT = typename SubscriptionT::MessageMemoryStrategyType>
  std::shared_ptr<SubscriptionT> create_subscription(
    const std::string & topic_name, const rclcpp::QoS & qos, CallbackT && callback,
    const SubscriptionOptionsWithAllocator<AllocatorT> & options = SubscriptionOptionsWithAllocator<AllocatorT>(),
    typename MessageMemoryStrategyT::SharedPtr = nullptr)
  {
    return rclcpp::create_subscription<MessageT, CallbackT, AllocatorT, SubscriptionT>(
      *this, extended(topic_name), qos, std::forward<CallbackT>(callback), options);
  }

  /// Creates a timer with a clock that never jumps.
  template<typename DurationRepT = int64_t, typename DurationT = std::milli, typename CallbackT>
  typename rclcpp::WallTimer<CallbackT>::SharedPtr create_wall_timer(
    std::chrono::duration<DurationRepT, DurationT> period, CallbackT callback,
    rclcpp::CallbackGroup::SharedPtr group = nullptr, bool autostart = true)
  {
    return rclcpp::create_wall_timer(
      period, std::move(callback), group, get_node_base_interface().get(), get_node_timers_interface().get(), autostart);
  }

  /// Creates a timer with the clock of the node.
  template<typename DurationRepT = int64_t, typename DurationT = std::milli, typename CallbackT>
  typename rclcpp::GenericTimer<CallbackT>::SharedPtr create_timer(
    std::chrono::duration<DurationRepT, DurationT> period, CallbackT callback,
    rclcpp::CallbackGroup::SharedPtr group = nullptr)
  {
    return rclcpp::create_timer(
      get_clock(), period, std::move(callback), group, get_node_base_interface().get(),
      get_node_timers_interface().get());
  }

  template<typename ServiceT>
  typename rclcpp::Client<ServiceT>::SharedPtr create_client(
    const std::string & service_name, const rclcpp::QoS & qos = rclcpp::ServicesQoS(),
    rclcpp::CallbackGroup::SharedPtr group = nullptr)
  {
    return rclcpp::create_client<ServiceT>(
      get_node_base_interface(), get_node_graph_interface(), get_node_services_interface(), extended(service_name), qos,
      group);
  }
  template<typename ServiceT>
  [[deprecated("use rclcpp::QoS instead of rmw_qos_profile_t")]]
  typename rclcpp::Client<ServiceT>::SharedPtr create_client(
    const std::string & service_name, const rmw_qos_profile_t & qos_profile,
    rclcpp::CallbackGroup::SharedPtr group = nullptr)
  {
    return rclcpp::create_client<ServiceT>(
      get_node_base_interface(), get_node_graph_interface(), get_node_services_interface(), extended(service_name),
      qos_profile, group);
  }

  template<typename ServiceT, typename CallbackT>
  typename rclcpp::Service<ServiceT>::SharedPtr create_service(
    const std::string & service_name, CallbackT && callback, const rclcpp::QoS & qos = rclcpp::ServicesQoS(),
    rclcpp::CallbackGroup::SharedPtr group = nullptr)
  {
    return rclcpp::create_service<ServiceT>(
      get_node_base_interface(), get_node_services_interface(), extended(service_name),
      std::forward<CallbackT>(callback), qos, group);
  }
  template<typename ServiceT, typename CallbackT>
  [[deprecated("use rclcpp::QoS instead of rmw_qos_profile_t")]]
  typename rclcpp::Service<ServiceT>::SharedPtr create_service(
    const std::string & service_name, CallbackT && callback, const rmw_qos_profile_t & qos_profile,
    rclcpp::CallbackGroup::SharedPtr group = nullptr)
  {
    return rclcpp::create_service<ServiceT>(
      get_node_base_interface(), get_node_services_interface(), extended(service_name),
      std::forward<CallbackT>(callback), qos_profile, group);
  }

  /// Creates a publisher of a type that is given by its name, such as "std_msgs/msg/String".
  template<typename AllocatorT = std::allocator<void>>
  std::shared_ptr<rclcpp::GenericPublisher> create_generic_publisher(
    const std::string & topic_name, const std::string & topic_type, const rclcpp::QoS & qos,
    const PublisherOptionsWithAllocator<AllocatorT> & options = PublisherOptionsWithAllocator<AllocatorT>())
  {
    return rclcpp::create_generic_publisher(
      get_node_topics_interface(), extended(topic_name), topic_type, qos, options);
  }
  template<typename CallbackT, typename AllocatorT = std::allocator<void>>
  std::shared_ptr<rclcpp::GenericSubscription> create_generic_subscription(
    const std::string & topic_name, const std::string & topic_type, const rclcpp::QoS & qos, CallbackT && callback,
    const SubscriptionOptionsWithAllocator<AllocatorT> & options = SubscriptionOptionsWithAllocator<AllocatorT>())
  {
    return rclcpp::create_generic_subscription(
      get_node_topics_interface(), extended(topic_name), topic_type, qos, std::forward<CallbackT>(callback), options);
  }
  rclcpp::GenericClient::SharedPtr create_generic_client(
    const std::string & service_name, const std::string & service_type,
    const rclcpp::QoS & qos = rclcpp::ServicesQoS(), rclcpp::CallbackGroup::SharedPtr group = nullptr)
  {
    return rclcpp::create_generic_client(
      get_node_base_interface(), get_node_graph_interface(), get_node_services_interface(), extended(service_name),
      service_type, qos, group);
  }

  /// Declares a parameter. A value from the command line or the options comes before the default.
  /// \throws rclcpp::exceptions::ParameterAlreadyDeclaredException, InvalidParametersException for an empty name,
  ///   InvalidParameterValueException, InvalidParameterTypeException
  const rclcpp::ParameterValue & declare_parameter(
    const std::string & name, const rclcpp::ParameterValue & default_value,
    const rcl_interfaces::msg::ParameterDescriptor & parameter_descriptor = rcl_interfaces::msg::ParameterDescriptor(),
    bool ignore_override = false);
  /// Declares a parameter of a type without a default.
  const rclcpp::ParameterValue & declare_parameter(
    const std::string & name, rclcpp::ParameterType type,
    const rcl_interfaces::msg::ParameterDescriptor & parameter_descriptor = rcl_interfaces::msg::ParameterDescriptor{},
    bool ignore_override = false);
  template<typename ParameterT>
  auto declare_parameter(
    const std::string & name, const ParameterT & default_value,
    const rcl_interfaces::msg::ParameterDescriptor & parameter_descriptor = rcl_interfaces::msg::ParameterDescriptor(),
    bool ignore_override = false)
  {
    using Value = std::conditional_t<
      std::is_convertible_v<ParameterT, std::string>&& !std::is_same_v<ParameterT, std::string>, std::string, ParameterT>;
    try {
      return Value(
        declare_parameter(name, rclcpp::ParameterValue(default_value), parameter_descriptor, ignore_override)
        .template get<Value>());
    } catch (const ParameterTypeException & error) {
      throw exceptions::InvalidParameterTypeException(name, error.what());
    }
  }
  /// Declares a parameter that must be given.
  /// \throws rclcpp::exceptions::UninitializedStaticallyTypedParameterException if it is not given
  template<typename ParameterT>
  auto declare_parameter(
    const std::string & name,
    const rcl_interfaces::msg::ParameterDescriptor & parameter_descriptor = rcl_interfaces::msg::ParameterDescriptor(),
    bool ignore_override = false)
  {
    const rclcpp::ParameterValue value{ParameterT{}};
    const rclcpp::ParameterValue & declared =
      declare_parameter(name, value.get_type(), parameter_descriptor, ignore_override);
    if (declared.get_type() == PARAMETER_NOT_SET) {
      throw exceptions::UninitializedStaticallyTypedParameterException(name);
    }
    return ParameterT(declared.get<ParameterT>());
  }
  /// Declares parameters below a namespace, each with a default.
  template<typename ParameterT>
  std::vector<ParameterT> declare_parameters(
    const std::string & namespace_, const std::map<std::string, ParameterT> & parameters, bool ignore_overrides = false)
  {
    std::vector<ParameterT> result;
    for (const auto & [name, value] : parameters) {
      result.push_back(
        declare_parameter(
          below(namespace_, name), value, rcl_interfaces::msg::ParameterDescriptor(), ignore_overrides));
    }
    return result;
  }
  template<typename ParameterT>
  std::vector<ParameterT> declare_parameters(
    const std::string & namespace_,
    const std::map<std::string, std::pair<ParameterT, rcl_interfaces::msg::ParameterDescriptor>> & parameters,
    bool ignore_overrides = false)
  {
    std::vector<ParameterT> result;
    for (const auto & [name, value] : parameters) {
      result.push_back(declare_parameter(below(namespace_, name), value.first, value.second, ignore_overrides));
    }
    return result;
  }
  /// \throws rclcpp::exceptions::ParameterNotDeclaredException, ParameterImmutableException, InvalidParameterTypeException
  void undeclare_parameter(const std::string & name);
  bool has_parameter(const std::string & name) const;

  /// \throws rclcpp::exceptions::ParameterNotDeclaredException if it is not declared, and need be
  rcl_interfaces::msg::SetParametersResult set_parameter(const rclcpp::Parameter & parameter);
  std::vector<rcl_interfaces::msg::SetParametersResult> set_parameters(
    const std::vector<rclcpp::Parameter> & parameters);
  rcl_interfaces::msg::SetParametersResult set_parameters_atomically(
    const std::vector<rclcpp::Parameter> & parameters);

  /// \throws rclcpp::exceptions::ParameterNotDeclaredException, ParameterUninitializedException
  rclcpp::Parameter get_parameter(const std::string & name) const;
  /// Returns false if the parameter has no value.
  bool get_parameter(const std::string & name, rclcpp::Parameter & parameter) const;
  // Not inline: otherwise a compiler sees that `parameter` may stay without a value, and warns about callers that use it only if it is set.
  template<typename ParameterT>
  [[gnu::noinline]] bool get_parameter(const std::string & name, ParameterT & parameter) const
  {
    rclcpp::Parameter found;
    const bool is_set = get_parameter(detail::extend_name_with_sub_namespace(name, get_sub_namespace()), found);
    if (is_set) {
      parameter = static_cast<ParameterT>(found.template get_value<ParameterT>());
    }
    return is_set;
  }
  template<typename ParameterT>
  bool get_parameter_or(const std::string & name, ParameterT & parameter, const ParameterT & alternative_value) const
  {
    const bool is_set = get_parameter(name, parameter);
    if (!is_set) {
      parameter = alternative_value;
    }
    return is_set;
  }
  template<typename ParameterT>
  ParameterT get_parameter_or(const std::string & name, const ParameterT & alternative_value) const
  {
    ParameterT parameter;
    get_parameter_or(name, parameter, alternative_value);
    return parameter;
  }
  std::vector<rclcpp::Parameter> get_parameters(const std::vector<std::string> & names) const;
  /// Gets the parameters below a prefix, by the rests of their names. Returns false if there are none.
  template<typename ParameterT>
  bool get_parameters(const std::string & prefix, std::map<std::string, ParameterT> & values) const
  {
    std::map<std::string, rclcpp::Parameter> found;
    const bool are_some = get_node_parameters_interface_const().get_parameters_by_prefix(prefix, found);
    for (const auto & [name, parameter] : found) {
      values[name] = static_cast<ParameterT>(parameter.template get_value<ParameterT>());
    }
    return are_some;
  }
  rcl_interfaces::msg::ParameterDescriptor describe_parameter(const std::string & name) const;
  std::vector<rcl_interfaces::msg::ParameterDescriptor> describe_parameters(
    const std::vector<std::string> & names) const;
  std::vector<uint8_t> get_parameter_types(const std::vector<std::string> & names) const;
  rcl_interfaces::msg::ListParametersResult list_parameters(
    const std::vector<std::string> & prefixes, uint64_t depth) const;

  /// Adds a callback for parameters. Keep the handle: the callback is called as long as it exists.
  [[nodiscard]] PreSetParametersCallbackHandle::SharedPtr add_pre_set_parameters_callback(
    PreSetParametersCallbackType callback);
  [[nodiscard]] OnSetParametersCallbackHandle::SharedPtr add_on_set_parameters_callback(
    OnSetParametersCallbackType callback);
  [[nodiscard]] PostSetParametersCallbackHandle::SharedPtr add_post_set_parameters_callback(
    PostSetParametersCallbackType callback);
  /// \throws std::runtime_error if the callback is unknown
  void remove_pre_set_parameters_callback(const PreSetParametersCallbackHandle * const handler);
  void remove_on_set_parameters_callback(const OnSetParametersCallbackHandle * const handler);
  void remove_post_set_parameters_callback(const PostSetParametersCallbackHandle * const handler);

  std::vector<std::string> get_node_names() const;
  std::map<std::string, std::vector<std::string>> get_topic_names_and_types() const;
  std::map<std::string, std::vector<std::string>> get_service_names_and_types() const;
  std::map<std::string, std::vector<std::string>> get_service_names_and_types_by_node(
    const std::string & node_name, const std::string & namespace_) const;
  size_t count_publishers(const std::string & topic_name) const;
  size_t count_subscribers(const std::string & topic_name) const;
  size_t count_clients(const std::string & service_name) const;
  size_t count_services(const std::string & service_name) const;
  std::vector<rclcpp::TopicEndpointInfo> get_publishers_info_by_topic(
    const std::string & topic_name, bool no_mangle = false) const;
  std::vector<rclcpp::TopicEndpointInfo> get_subscriptions_info_by_topic(
    const std::string & topic_name, bool no_mangle = false) const;
  rclcpp::Event::SharedPtr get_graph_event();
  void wait_for_graph_change(rclcpp::Event::SharedPtr event, std::chrono::nanoseconds timeout);

  rclcpp::Clock::SharedPtr get_clock();
  rclcpp::Clock::ConstSharedPtr get_clock() const;
  rclcpp::Time now() const;

  rclcpp::node_interfaces::NodeBaseInterface::SharedPtr get_node_base_interface();
  rclcpp::node_interfaces::NodeClockInterface::SharedPtr get_node_clock_interface();
  rclcpp::node_interfaces::NodeGraphInterface::SharedPtr get_node_graph_interface();
  rclcpp::node_interfaces::NodeLoggingInterface::SharedPtr get_node_logging_interface();
  rclcpp::node_interfaces::NodeTimersInterface::SharedPtr get_node_timers_interface();
  rclcpp::node_interfaces::NodeTopicsInterface::SharedPtr get_node_topics_interface();
  rclcpp::node_interfaces::NodeServicesInterface::SharedPtr get_node_services_interface();
  rclcpp::node_interfaces::NodeWaitablesInterface::SharedPtr get_node_waitables_interface();
  rclcpp::node_interfaces::NodeParametersInterface::SharedPtr get_node_parameters_interface();
  rclcpp::node_interfaces::NodeTimeSourceInterface::SharedPtr get_node_time_source_interface();
  rclcpp::node_interfaces::NodeTypeDescriptionsInterface::SharedPtr get_node_type_descriptions_interface();

  const std::string & get_sub_namespace() const {return sub_namespace_;}
  const std::string & get_effective_namespace() const {return effective_namespace_;}
  /// Returns a node that is the same, but has its relative names below a namespace.
  /// \throws rclcpp::exceptions::NameValidationError if the namespace is absolute or empty
  rclcpp::Node::SharedPtr create_sub_node(const std::string & sub_namespace);
  const rclcpp::NodeOptions & get_node_options() const {return options_;}

protected:
  Node(const Node & other, const std::string & sub_namespace);

private:
  std::string extended(const std::string & name) const
  {
    return detail::extend_name_with_sub_namespace(name, sub_namespace_);
  }
  static std::string below(const std::string & namespace_, const std::string & name)
  {
    return namespace_.empty() ? name : namespace_ + "." + name;
  }
  const node_interfaces::NodeParametersInterface & get_node_parameters_interface_const() const;

  std::shared_ptr<detail::NodeCore> core_;
  rclcpp::NodeOptions options_;
  std::string sub_namespace_;
  std::string effective_namespace_;
};

}  // namespace rclcpp

#endif  // RCLCPP__NODE_HPP_
