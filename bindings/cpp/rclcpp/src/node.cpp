#include "rclcpp/node.hpp"

#include "node_core.hpp"

namespace rclcpp
{
namespace detail
{

std::string extend_name_with_sub_namespace(const std::string & name, const std::string & sub_namespace)
{
  const bool is_relative = !name.empty() && name.front() != '/' && name.front() != '~';
  return !sub_namespace.empty() && is_relative ? sub_namespace + "/" + name : name;
}

}  // namespace detail

namespace
{

/// Returns the namespace in which the names of a node below `sub_namespace` are.
std::string effective(const std::string & name_space, const std::string & sub_namespace)
{
  if (sub_namespace.empty()) {
    return name_space;
  }
  return name_space.back() == '/' ? name_space + sub_namespace : name_space + "/" + sub_namespace;
}

/// Returns a sub-namespace below another one.
std::string extended_sub_namespace(const std::string & existing, const std::string & extension)
{
  if (extension.empty()) {
    throw exceptions::NameValidationError(
            "sub_namespace", extension.c_str(), "sub-nodes should not extend nodes by an empty sub-namespace", 0);
  }
  if (extension.front() == '/') {
    throw exceptions::NameValidationError(
            "sub_namespace", extension.c_str(), "a sub-namespace should not have a leading /", 0);
  }
  const std::string whole = existing.empty() ? extension : existing + "/" + extension;
  return whole.back() == '/' ? whole.substr(0, whole.size() - 1) : whole;
}

}  // namespace

Node::Node(const std::string & node_name, const NodeOptions & options)
: Node(node_name, "", options) {}

Node::Node(const std::string & node_name, const std::string & namespace_, const NodeOptions & options)
: core_(detail::NodeCore::create(node_name, namespace_, options)), options_(options),
  effective_namespace_(core_->get_namespace()) {}

Node::Node(const Node & other, const std::string & sub_namespace)
: core_(other.core_), options_(other.options_),
  sub_namespace_(extended_sub_namespace(other.sub_namespace_, sub_namespace)),
  effective_namespace_(effective(core_->get_namespace(), sub_namespace_)) {}

Node::~Node() = default;

const char * Node::get_name() const {return core_->get_name();}

const char * Node::get_namespace() const {return core_->get_namespace();}

const char * Node::get_fully_qualified_name() const {return core_->get_fully_qualified_name();}

Logger Node::get_logger() const {return core_->get_logger();}

CallbackGroup::SharedPtr Node::create_callback_group(
  CallbackGroupType group_type, bool automatically_add_to_executor_with_node)
{
  return core_->create_callback_group(group_type, automatically_add_to_executor_with_node);
}

void Node::for_each_callback_group(const node_interfaces::NodeBaseInterface::CallbackGroupFunction & func)
{
  core_->for_each_callback_group(func);
}

const ParameterValue & Node::declare_parameter(
  const std::string & name, const ParameterValue & default_value,
  const rcl_interfaces::msg::ParameterDescriptor & parameter_descriptor, bool ignore_override)
{
  return core_->declare_parameter(name, default_value, parameter_descriptor, ignore_override);
}

const ParameterValue & Node::declare_parameter(
  const std::string & name, ParameterType type,
  const rcl_interfaces::msg::ParameterDescriptor & parameter_descriptor, bool ignore_override)
{
  return core_->declare_parameter(name, type, parameter_descriptor, ignore_override);
}

void Node::undeclare_parameter(const std::string & name) {core_->undeclare_parameter(name);}

bool Node::has_parameter(const std::string & name) const {return core_->has_parameter(name);}

rcl_interfaces::msg::SetParametersResult Node::set_parameter(const Parameter & parameter)
{
  return set_parameters_atomically({parameter});
}

std::vector<rcl_interfaces::msg::SetParametersResult> Node::set_parameters(const std::vector<Parameter> & parameters)
{
  return core_->set_parameters(parameters);
}

rcl_interfaces::msg::SetParametersResult Node::set_parameters_atomically(const std::vector<Parameter> & parameters)
{
  return core_->set_parameters_atomically(parameters);
}

Parameter Node::get_parameter(const std::string & name) const {return core_->get_parameter(name);}

bool Node::get_parameter(const std::string & name, Parameter & parameter) const
{
  return core_->get_parameter(name, parameter);
}

std::vector<Parameter> Node::get_parameters(const std::vector<std::string> & names) const
{
  return core_->get_parameters(names);
}

rcl_interfaces::msg::ParameterDescriptor Node::describe_parameter(const std::string & name) const
{
  return core_->describe_parameters({name}).front();
}

std::vector<rcl_interfaces::msg::ParameterDescriptor> Node::describe_parameters(
  const std::vector<std::string> & names) const
{
  return core_->describe_parameters(names);
}

std::vector<uint8_t> Node::get_parameter_types(const std::vector<std::string> & names) const
{
  return core_->get_parameter_types(names);
}

rcl_interfaces::msg::ListParametersResult Node::list_parameters(
  const std::vector<std::string> & prefixes, uint64_t depth) const
{
  return core_->list_parameters(prefixes, depth);
}

Node::PreSetParametersCallbackHandle::SharedPtr Node::add_pre_set_parameters_callback(
  PreSetParametersCallbackType callback)
{
  return core_->add_pre_set_parameters_callback(std::move(callback));
}

void Node::remove_pre_set_parameters_callback(const PreSetParametersCallbackHandle * const handler)
{
  core_->remove_pre_set_parameters_callback(handler);
}

Node::OnSetParametersCallbackHandle::SharedPtr Node::add_on_set_parameters_callback(
  OnSetParametersCallbackType callback)
{
  return core_->add_on_set_parameters_callback(std::move(callback));
}

void Node::remove_on_set_parameters_callback(const OnSetParametersCallbackHandle * const handler)
{
  core_->remove_on_set_parameters_callback(handler);
}

Node::PostSetParametersCallbackHandle::SharedPtr Node::add_post_set_parameters_callback(
  PostSetParametersCallbackType callback)
{
  return core_->add_post_set_parameters_callback(std::move(callback));
}

void Node::remove_post_set_parameters_callback(const PostSetParametersCallbackHandle * const handler)
{
  core_->remove_post_set_parameters_callback(handler);
}

std::vector<std::string> Node::get_node_names() const {return core_->get_node_names();}

std::map<std::string, std::vector<std::string>> Node::get_topic_names_and_types() const
{
  return core_->get_topic_names_and_types(false);
}

std::map<std::string, std::vector<std::string>> Node::get_service_names_and_types() const
{
  return core_->get_service_names_and_types();
}

std::map<std::string, std::vector<std::string>> Node::get_service_names_and_types_by_node(
  const std::string & node_name, const std::string & namespace_) const
{
  return core_->get_service_names_and_types_by_node(node_name, namespace_);
}

size_t Node::count_publishers(const std::string & topic_name) const {return core_->count_publishers(topic_name);}

size_t Node::count_subscribers(const std::string & topic_name) const {return core_->count_subscribers(topic_name);}

size_t Node::count_clients(const std::string & service_name) const {return core_->count_clients(service_name);}

size_t Node::count_services(const std::string & service_name) const {return core_->count_services(service_name);}

std::vector<TopicEndpointInfo> Node::get_publishers_info_by_topic(const std::string & topic_name, bool no_mangle) const
{
  return core_->get_publishers_info_by_topic(topic_name, no_mangle);
}

std::vector<TopicEndpointInfo> Node::get_subscriptions_info_by_topic(
  const std::string & topic_name, bool no_mangle) const
{
  return core_->get_subscriptions_info_by_topic(topic_name, no_mangle);
}

Event::SharedPtr Node::get_graph_event() {return core_->get_graph_event();}

void Node::wait_for_graph_change(Event::SharedPtr event, std::chrono::nanoseconds timeout)
{
  core_->wait_for_graph_change(event, timeout);
}

Clock::SharedPtr Node::get_clock() {return core_->get_clock();}

Clock::ConstSharedPtr Node::get_clock() const {return core_->get_clock();}

Time Node::now() const {return core_->get_clock()->now();}

node_interfaces::NodeBaseInterface::SharedPtr Node::get_node_base_interface() {return core_;}

node_interfaces::NodeClockInterface::SharedPtr Node::get_node_clock_interface() {return core_;}

node_interfaces::NodeGraphInterface::SharedPtr Node::get_node_graph_interface() {return core_;}

node_interfaces::NodeLoggingInterface::SharedPtr Node::get_node_logging_interface() {return core_;}

node_interfaces::NodeTimersInterface::SharedPtr Node::get_node_timers_interface() {return core_;}

node_interfaces::NodeTopicsInterface::SharedPtr Node::get_node_topics_interface() {return core_;}

node_interfaces::NodeServicesInterface::SharedPtr Node::get_node_services_interface() {return core_;}

node_interfaces::NodeWaitablesInterface::SharedPtr Node::get_node_waitables_interface() {return core_;}

node_interfaces::NodeParametersInterface::SharedPtr Node::get_node_parameters_interface() {return core_;}

node_interfaces::NodeTimeSourceInterface::SharedPtr Node::get_node_time_source_interface() {return core_;}

node_interfaces::NodeTypeDescriptionsInterface::SharedPtr Node::get_node_type_descriptions_interface() {return core_;}

Node::SharedPtr Node::create_sub_node(const std::string & sub_namespace)
{
  return Node::SharedPtr(new Node(*this, sub_namespace));
}

const node_interfaces::NodeParametersInterface & Node::get_node_parameters_interface_const() const {return *core_;}

}  // namespace rclcpp
