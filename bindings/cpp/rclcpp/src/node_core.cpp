#include "node_core.hpp"

#include <algorithm>

#include "logger_services.hpp"
#include "parameters.hpp"

namespace rclcpp::detail
{
namespace
{

/// Why a name is not valid, as libsaltus says it: the reason, and the index of the letter.
template<typename Exception>
[[noreturn]] void throw_name(const std::string & name)
{
  throw Exception(name.c_str(), last_error().c_str(), 0);
}

saltus_node_t * new_node(const std::string & name, const std::string & name_space, const NodeOptions & options)
{
  const ParameterList overrides(options.parameter_overrides());
  std::vector<const char *> arguments;
  for (const std::string & argument : options.arguments()) {
    arguments.push_back(argument.c_str());
  }
  saltus_node_options_t own;
  saltus_node_options_init(&own, sizeof own);
  own.name = name.c_str();
  own.name_space = name_space.c_str();
  own.arguments = arguments.data();
  own.argument_count = arguments.size();
  own.overrides = overrides.data();
  own.override_count = overrides.size();
  own.use_global_arguments = options.use_global_arguments();
  own.start_parameter_services = options.start_parameter_services();
  own.start_parameter_event_publisher = options.start_parameter_event_publisher();
  own.allow_undeclared_parameters = options.allow_undeclared_parameters();
  own.declare_overrides = options.automatically_declare_parameters_from_overrides();
  own.clock_thread = options.use_clock_thread();
  const auto context = options.context();
  if (!context || !context->is_valid()) {
    throw exceptions::RCLError(
            RCL_RET_NOT_INIT, "call rclcpp::init() before, and create no node after the shutdown",
            "failed to create a node: the given context is not valid");
  }
  saltus_node_t * node = nullptr;
  const saltus_status_t status = saltus_node_create(context->get_saltus_context(), &own, &node);
  switch (status) {
    case SALTUS_INVALID_NODE_NAME:
      throw_name<exceptions::InvalidNodeNameError>(name);
    case SALTUS_INVALID_NAMESPACE:
      throw_name<exceptions::InvalidNamespaceError>(name_space);
    case SALTUS_UNKNOWN_ROS_ARGUMENTS:
      throw exceptions::UnknownROSArgsError({last_error()});
    case SALTUS_PARAMETER_TYPE:
      // No other parameter has a type yet.
      throw std::invalid_argument("Invalid type for parameter 'use_sim_time', should be 'bool'");
    default:
      check_parameter(status, name, "failed to initialize rcl node");
      return node;
  }
}

std::shared_ptr<Clock> node_clock(saltus_node_t * node, rcl_clock_type_t type)
{
  if (type != RCL_ROS_TIME) {
    return std::make_shared<Clock>(type);
  }
  auto * clock = created<saltus_clock_t>(
    "failed to get the clock of a node", [node](saltus_clock_t ** place) {return saltus_node_clock(node, place);});
  return std::make_shared<Clock>(shared(clock, &saltus_clock_destroy), RCL_ROS_TIME);
}

}  // namespace

Logger node_logger(saltus_node_t * node)
{
  auto * logger = created<saltus_logger_t>(
    "failed to get the logger of a node", [node](saltus_logger_t ** place) {return saltus_node_logger(node, place);});
  return Logger(shared(logger, &saltus_logger_destroy), saltus_node_logger_name(node), true);
}

std::shared_ptr<NodeCore> NodeCore::create(
  const std::string & name, const std::string & name_space, const NodeOptions & options)
{
  auto node = std::make_shared<NodeCore>(name, name_space, options);
  if (options.enable_logger_service()) {
    node->logger_services_ = create_logger_services(node);
  }
  if (options.clock_type() != RCL_ROS_TIME) {
    node->refuse_simulated_time();
  }
  return node;
}

void NodeCore::refuse_simulated_time()
{
  const std::string reason = "use_sim_time parameter can't be true while clocks are not all of RCL_ROS_TIME type";
  if (get_parameter("use_sim_time").as_bool()) {
    throw std::invalid_argument(reason);
  }
  sim_time_check_ = add_on_set_parameters_callback([reason](const std::vector<Parameter> & parameters) {
        rcl_interfaces::msg::SetParametersResult result;
        result.successful = std::none_of(parameters.begin(), parameters.end(), [](const Parameter & one) {
              return one.get_name() == "use_sim_time" && one.get_type() == PARAMETER_BOOL && one.as_bool();
            });
        result.reason = result.successful ? "" : reason;
        return result;
      });
}

NodeCore::NodeCore(const std::string & name, const std::string & name_space, const NodeOptions & options)
: context_(options.context()), handle_(shared(new_node(name, name_space, options), &saltus_node_destroy)),
  clock_(node_clock(handle_.get(), options.clock_type())),
  logger_(
    options.enable_rosout() ? node_logger(handle_.get()) : rclcpp::get_logger(saltus_node_logger_name(handle_.get()))),
  rcl_node_{nullptr, reinterpret_cast<rcl_node_impl_t *>(handle_.get())},
  use_intra_process_(options.use_intra_process_comms()), has_topic_statistics_(options.enable_topic_statistics()),
  allows_undeclared_(options.allow_undeclared_parameters())
{
  read_overrides();
}

NodeCore::~NodeCore()
{
  for (const auto & [pointer, weak] : executors_) {
    if (const auto executor = weak.lock()) {
      saltus_executor_remove_node(executor.get(), handle_.get());
    }
  }
}

std::shared_ptr<NodeCore> NodeCore::of(const node_interfaces::NodeBaseInterface::SharedPtr & base)
{
  auto core = std::dynamic_pointer_cast<NodeCore>(base);
  if (!core) {
    throw std::invalid_argument("the node is not one of rclcpp::Node or rclcpp_lifecycle::LifecycleNode");
  }
  return core;
}

void NodeCore::join(const std::shared_ptr<saltus_executor_t> & executor)
{
  std::lock_guard<std::mutex> lock(mutex_);
  executors_.emplace_back(executor.get(), executor);
}

void NodeCore::leave(const saltus_executor_t * executor)
{
  std::lock_guard<std::mutex> lock(mutex_);
  const auto is_it = [executor](const auto & one) {return one.first == executor;};
  executors_.erase(std::remove_if(executors_.begin(), executors_.end(), is_it), executors_.end());
}

const char * NodeCore::get_name() const {return saltus_node_name(handle_.get());}

const char * NodeCore::get_namespace() const {return saltus_node_namespace(handle_.get());}

const char * NodeCore::get_fully_qualified_name() const {return saltus_node_full_name(handle_.get());}

CallbackGroup::SharedPtr NodeCore::create_callback_group(
  CallbackGroupType group_type, bool automatically_add_to_executor_with_node)
{
  const uint8_t kind = group_type == CallbackGroupType::Reentrant ?
    SALTUS_GROUP_REENTRANT : SALTUS_GROUP_MUTUALLY_EXCLUSIVE;
  auto * handle = created<saltus_group_t>(
    "failed to create a callback group", [&](saltus_group_t ** place) {
      return saltus_group_create(handle_.get(), kind, automatically_add_to_executor_with_node, place);
    });
  auto group = std::make_shared<CallbackGroup>(
    shared(handle, &saltus_group_destroy), weak_from_this(), group_type, automatically_add_to_executor_with_node);
  std::lock_guard<std::mutex> lock(mutex_);
  groups_.push_back(group);
  return group;
}

CallbackGroup::SharedPtr NodeCore::get_default_callback_group()
{
  std::lock_guard<std::mutex> lock(mutex_);
  if (!default_group_) {
    auto * handle = created<saltus_group_t>(
      "failed to get a callback group", [this](saltus_group_t ** place) {
        return saltus_node_default_group(handle_.get(), place);
      });
    default_group_ = std::make_shared<CallbackGroup>(
      shared(handle, &saltus_group_destroy), weak_from_this(), CallbackGroupType::MutuallyExclusive, true);
    groups_.push_back(default_group_);
  }
  return default_group_;
}

bool NodeCore::callback_group_in_node(CallbackGroup::SharedPtr group)
{
  return group && group->get_node_base().get() == this;
}

void NodeCore::for_each_callback_group(const CallbackGroupFunction & func)
{
  get_default_callback_group();
  std::vector<CallbackGroup::WeakPtr> groups;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    groups = groups_;
  }
  for (const auto & weak : groups) {
    if (const auto group = weak.lock()) {
      func(group);
    }
  }
}

std::string NodeCore::resolve_topic_or_service_name(const std::string & name, bool is_service, bool) const
{
  saltus_text_t * text = nullptr;
  const saltus_status_t status = is_service ?
    saltus_node_resolve_service(handle_.get(), name.c_str(), &text) :
    saltus_node_resolve_topic(handle_.get(), name.c_str(), &text);
  switch (status) {
    case SALTUS_INVALID_TOPIC_NAME:
      throw_name<exceptions::InvalidTopicNameError>(name);
    case SALTUS_INVALID_SERVICE_NAME:
      throw_name<exceptions::InvalidServiceNameError>(name);
    default:
      check(status, "failed to resolve a name");
      return taken(text);
  }
}

namespace
{

/// Opens an entity unless it is open.
template<typename Entity, typename Handle, typename Open>
void open_once(const CallbackGroup::SharedPtr & group, NodeCore & node, const Entity & entity, Handle handle, Open open)
{
  if (group && !node.callback_group_in_node(group)) {
    throw exceptions::MissingGroupNodeException("entity");
  }
  if (handle(*entity) == nullptr) {
    open(*entity);
  }
}

}  // namespace

void NodeCore::add_timer(std::shared_ptr<TimerBase> timer, CallbackGroup::SharedPtr group)
{
  open_once(
    group, *this, timer, [](const TimerBase & one) {return one.get_saltus_timer();},
    [&](TimerBase & one) {one.open(*this, group);});
}

void NodeCore::add_publisher(std::shared_ptr<PublisherBase> publisher, CallbackGroup::SharedPtr group)
{
  open_once(
    group, *this, publisher, [](const PublisherBase & one) {return one.get_saltus_publisher();},
    [](PublisherBase & one) {one.open();});
}

void NodeCore::add_subscription(std::shared_ptr<SubscriptionBase> subscription, CallbackGroup::SharedPtr group)
{
  open_once(
    group, *this, subscription, [](const SubscriptionBase & one) {return one.get_saltus_subscription();},
    [](SubscriptionBase & one) {one.open();});
}

void NodeCore::add_service(std::shared_ptr<ServiceBase> service, CallbackGroup::SharedPtr group)
{
  open_once(
    group, *this, service, [](const ServiceBase & one) {return one.get_saltus_service();},
    [](ServiceBase & one) {one.open();});
}

node_interfaces::NodeBaseInterface * NodeCore::get_node_base_interface() const {return const_cast<NodeCore *>(this);}

node_interfaces::NodeTimersInterface * NodeCore::get_node_timers_interface() const
{
  return const_cast<NodeCore *>(this);
}

std::string NodeCore::resolve_topic_name(const std::string & name, bool only_expand) const
{
  return resolve_topic_or_service_name(name, false, only_expand);
}

std::string NodeCore::resolve_service_name(const std::string & name, bool only_expand) const
{
  return resolve_topic_or_service_name(name, true, only_expand);
}

node_interfaces::NodeParametersInterface * parameters_of(node_interfaces::NodeBaseInterface * base)
{
  return dynamic_cast<NodeCore *>(base);
}

}  // namespace rclcpp::detail

namespace rclcpp
{

Logger get_node_logger(const rcl_node_s * node)
{
  if (node == nullptr || node->impl == nullptr) {
    return get_logger("rclcpp");
  }
  return detail::node_logger(reinterpret_cast<saltus_node_t *>(node->impl));
}

}  // namespace rclcpp
