// A node of libsaltus with the interfaces of rclcpp.
#ifndef NODE_CORE_HPP_
#define NODE_CORE_HPP_

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "libsaltus.hpp"
#include "rcl/node.h"
#include "rclcpp/node.hpp"
#include "waitables.hpp"

namespace rclcpp::detail
{

/// All interfaces of a node in one object.
class RCLCPP_PUBLIC NodeCore final
  : public std::enable_shared_from_this<NodeCore>,
  public node_interfaces::NodeBaseInterface,
  public node_interfaces::NodeClockInterface,
  public node_interfaces::NodeGraphInterface,
  public node_interfaces::NodeLoggingInterface,
  public node_interfaces::NodeTimersInterface,
  public node_interfaces::NodeTopicsInterface,
  public node_interfaces::NodeServicesInterface,
  public node_interfaces::NodeWaitablesInterface,
  public node_interfaces::NodeParametersInterface,
  public node_interfaces::NodeTimeSourceInterface,
  public node_interfaces::NodeTypeDescriptionsInterface
{
public:
  static std::shared_ptr<NodeCore> create(
    const std::string & name, const std::string & name_space, const NodeOptions & options);
  NodeCore(const std::string & name, const std::string & name_space, const NodeOptions & options);
  ~NodeCore() override;

  /// Returns the node that an interface belongs to.
  static std::shared_ptr<NodeCore> of(const node_interfaces::NodeBaseInterface::SharedPtr & base);
  saltus_node_t * handle() const {return handle_.get();}
  /// Notes that an executor has the node. When the node ends, it leaves the executor.
  void join(const std::shared_ptr<saltus_executor_t> & executor);
  /// Leaves an executor.
  void leave(const saltus_executor_t * executor);

  const char * get_name() const override;
  const char * get_namespace() const override;
  const char * get_fully_qualified_name() const override;
  Context::SharedPtr get_context() override {return context_;}
  CallbackGroup::SharedPtr create_callback_group(
    CallbackGroupType group_type, bool automatically_add_to_executor_with_node) override;
  CallbackGroup::SharedPtr get_default_callback_group() override;
  bool callback_group_in_node(CallbackGroup::SharedPtr group) override;
  void for_each_callback_group(const CallbackGroupFunction & func) override;
  std::atomic_bool & get_associated_with_executor_atomic() override {return has_executor_;}
  bool get_use_intra_process_default() const override {return use_intra_process_;}
  bool get_enable_topic_statistics_default() const override {return has_topic_statistics_;}
  std::string resolve_topic_or_service_name(
    const std::string & name, bool is_service, bool only_expand) const override;
  std::shared_ptr<saltus_node_t> get_shared_saltus_node() const override {return handle_;}
  rcl_node_s * get_rcl_node_handle() override {return &rcl_node_;}
  const rcl_node_s * get_rcl_node_handle() const override {return &rcl_node_;}
  std::shared_ptr<rcl_node_s> get_shared_rcl_node_handle() override
  {
    return std::shared_ptr<rcl_node_s>(shared_from_this(), &rcl_node_);
  }
  std::shared_ptr<const rcl_node_s> get_shared_rcl_node_handle() const override
  {
    return std::shared_ptr<const rcl_node_s>(shared_from_this(), &rcl_node_);
  }

  Clock::SharedPtr get_clock() override {return clock_;}
  Clock::ConstSharedPtr get_clock() const override {return clock_;}

  Logger get_logger() const override {return logger_;}
  const char * get_logger_name() const override {return logger_.get_name();}

  void add_timer(std::shared_ptr<TimerBase> timer, CallbackGroup::SharedPtr group) override;
  void add_publisher(std::shared_ptr<PublisherBase> publisher, CallbackGroup::SharedPtr group) override;
  void add_subscription(std::shared_ptr<SubscriptionBase> subscription, CallbackGroup::SharedPtr group) override;
  void add_client(std::shared_ptr<ClientBase>, CallbackGroup::SharedPtr) override {}
  void add_service(std::shared_ptr<ServiceBase> service, CallbackGroup::SharedPtr group) override;

  void add_waitable(std::shared_ptr<Waitable> waitable, CallbackGroup::SharedPtr group) override;
  void remove_waitable(std::shared_ptr<Waitable> waitable, CallbackGroup::SharedPtr group) noexcept override;

  node_interfaces::NodeBaseInterface * get_node_base_interface() const override;
  node_interfaces::NodeTimersInterface * get_node_timers_interface() const override;
  std::string resolve_topic_name(const std::string & name, bool only_expand) const override;
  std::string resolve_service_name(const std::string & name, bool only_expand) const override;

  std::map<std::string, std::vector<std::string>> get_topic_names_and_types(bool no_demangle) const override;
  std::map<std::string, std::vector<std::string>> get_service_names_and_types() const override;
  std::map<std::string, std::vector<std::string>> get_service_names_and_types_by_node(
    const std::string & node_name, const std::string & namespace_) const override;
  std::map<std::string, std::vector<std::string>> get_client_names_and_types_by_node(
    const std::string & node_name, const std::string & namespace_) const override;
  std::map<std::string, std::vector<std::string>> get_publisher_names_and_types_by_node(
    const std::string & node_name, const std::string & namespace_, bool no_demangle) const override;
  std::map<std::string, std::vector<std::string>> get_subscriber_names_and_types_by_node(
    const std::string & node_name, const std::string & namespace_, bool no_demangle) const override;
  std::vector<std::string> get_node_names() const override;
  std::vector<std::tuple<std::string, std::string, std::string>> get_node_names_with_enclaves() const override;
  std::vector<std::pair<std::string, std::string>> get_node_names_and_namespaces() const override;
  size_t count_publishers(const std::string & topic_name) const override;
  size_t count_subscribers(const std::string & topic_name) const override;
  size_t count_clients(const std::string & service_name) const override;
  size_t count_services(const std::string & service_name) const override;
  Event::SharedPtr get_graph_event() override;
  void wait_for_graph_change(Event::SharedPtr event, std::chrono::nanoseconds timeout) override;
  std::vector<TopicEndpointInfo> get_publishers_info_by_topic(
    const std::string & topic_name, bool no_mangle) const override;
  std::vector<TopicEndpointInfo> get_subscriptions_info_by_topic(
    const std::string & topic_name, bool no_mangle) const override;

  const ParameterValue & declare_parameter(
    const std::string & name, const ParameterValue & default_value,
    const rcl_interfaces::msg::ParameterDescriptor & descriptor, bool ignore_override) override;
  const ParameterValue & declare_parameter(
    const std::string & name, ParameterType type, const rcl_interfaces::msg::ParameterDescriptor & descriptor,
    bool ignore_override) override;
  void undeclare_parameter(const std::string & name) override;
  bool has_parameter(const std::string & name) const override;
  std::vector<rcl_interfaces::msg::SetParametersResult> set_parameters(
    const std::vector<Parameter> & parameters) override;
  rcl_interfaces::msg::SetParametersResult set_parameters_atomically(
    const std::vector<Parameter> & parameters) override;
  std::vector<Parameter> get_parameters(const std::vector<std::string> & names) const override;
  Parameter get_parameter(const std::string & name) const override;
  bool get_parameter(const std::string & name, Parameter & parameter) const override;
  bool get_parameters_by_prefix(
    const std::string & prefix, std::map<std::string, Parameter> & parameters) const override;
  std::vector<rcl_interfaces::msg::ParameterDescriptor> describe_parameters(
    const std::vector<std::string> & names) const override;
  std::vector<uint8_t> get_parameter_types(const std::vector<std::string> & names) const override;
  rcl_interfaces::msg::ListParametersResult list_parameters(
    const std::vector<std::string> & prefixes, uint64_t depth) const override;
  node_interfaces::PreSetParametersCallbackHandle::SharedPtr add_pre_set_parameters_callback(
    PreSetParametersCallbackType callback) override;
  node_interfaces::OnSetParametersCallbackHandle::SharedPtr add_on_set_parameters_callback(
    OnSetParametersCallbackType callback) override;
  node_interfaces::PostSetParametersCallbackHandle::SharedPtr add_post_set_parameters_callback(
    PostSetParametersCallbackType callback) override;
  void remove_pre_set_parameters_callback(
    const node_interfaces::PreSetParametersCallbackHandle * const handler) override;
  void remove_on_set_parameters_callback(
    const node_interfaces::OnSetParametersCallbackHandle * const handler) override;
  void remove_post_set_parameters_callback(
    const node_interfaces::PostSetParametersCallbackHandle * const handler) override;
  const std::map<std::string, ParameterValue> & get_parameter_overrides() const override {return overrides_;}

private:
  void read_overrides();
  void refuse_simulated_time();
  const ParameterValue & kept(const std::string & name, ParameterValue value);
  void apply(const std::vector<Parameter> & parameters);

  Context::SharedPtr context_;
  std::shared_ptr<saltus_node_t> handle_;
  Clock::SharedPtr clock_;
  /// Refuses simulated time, which a clock of another type does not follow.
  node_interfaces::OnSetParametersCallbackHandle::SharedPtr sim_time_check_;
  Logger logger_;
  rcl_node_t rcl_node_;
  bool use_intra_process_;
  bool has_topic_statistics_;
  bool allows_undeclared_;
  std::atomic_bool has_executor_{false};
  mutable std::mutex mutex_;
  std::vector<std::pair<const saltus_executor_t *, std::weak_ptr<saltus_executor_t>>> executors_;
  CallbackGroup::SharedPtr default_group_;
  std::vector<CallbackGroup::WeakPtr> groups_;
  std::map<std::string, ParameterValue> overrides_;
  /// The values that declare_parameter() has returned by reference.
  std::map<std::string, ParameterValue> declared_;
  /// The events of the graph, each with the graph that was seen last.
  std::vector<std::pair<std::weak_ptr<Event>, uint64_t>> graph_events_;
  std::vector<std::shared_ptr<WaitableRunner>> waitables_;
  std::vector<std::shared_ptr<ServiceBase>> logger_services_;
};

/// Returns the logger of a node.
Logger node_logger(saltus_node_t * node);

}  // namespace rclcpp::detail

#endif  // NODE_CORE_HPP_
