#include <algorithm>

#include "node_core.hpp"
#include "parameters.hpp"

namespace rclcpp::detail
{
namespace
{

using rcl_interfaces::msg::ParameterDescriptor;
using rcl_interfaces::msg::SetParametersResult;

/// A descriptor in the form of libsaltus. It points into the message.
saltus_descriptor_t descriptor_of(const ParameterDescriptor & message, uint8_t type)
{
  saltus_descriptor_t descriptor;
  saltus_descriptor_init(&descriptor, sizeof descriptor);
  descriptor.type = type;
  descriptor.read_only = message.read_only;
  descriptor.dynamic_typing = message.dynamic_typing;
  descriptor.description = message.description.c_str();
  descriptor.additional_constraints = message.additional_constraints.c_str();
  if (!message.integer_range.empty()) {
    descriptor.has_integer_range = 1;
    descriptor.integer_from = message.integer_range[0].from_value;
    descriptor.integer_to = message.integer_range[0].to_value;
    descriptor.integer_step = message.integer_range[0].step;
  }
  if (!message.floating_point_range.empty()) {
    descriptor.has_real_range = 1;
    descriptor.real_from = message.floating_point_range[0].from_value;
    descriptor.real_to = message.floating_point_range[0].to_value;
    descriptor.real_step = message.floating_point_range[0].step;
  }
  return descriptor;
}

ParameterDescriptor message_of(const std::string & name, const saltus_descriptor_t & descriptor)
{
  ParameterDescriptor message;
  message.name = name;
  message.type = descriptor.type;
  message.read_only = descriptor.read_only != 0;
  message.dynamic_typing = descriptor.dynamic_typing != 0;
  message.description = descriptor.description;
  message.additional_constraints = descriptor.additional_constraints;
  if (descriptor.has_integer_range != 0) {
    message.integer_range.resize(1);
    message.integer_range[0].from_value = descriptor.integer_from;
    message.integer_range[0].to_value = descriptor.integer_to;
    message.integer_range[0].step = descriptor.integer_step;
  }
  if (descriptor.has_real_range != 0) {
    message.floating_point_range.resize(1);
    message.floating_point_range[0].from_value = descriptor.real_from;
    message.floating_point_range[0].to_value = descriptor.real_to;
    message.floating_point_range[0].step = descriptor.real_step;
  }
  return message;
}

/// Returns a value of libsaltus, and frees it.
ParameterValue taken_value(saltus_parameter_result_t * result)
{
  ParameterValue value = value_of(*saltus_parameter_result_value(result));
  saltus_parameter_result_destroy(result);
  return value;
}

void expect_name(const std::string & name)
{
  if (name.empty()) {
    throw exceptions::InvalidParametersException("parameter name must not be empty");
  }
}

/// The functions that libsaltus calls for parameters. Each context is the handle that keeps the callback.
void on_pre_set(void * context, saltus_parameter_set_t * set)
{
  try {
    size_t count = 0;
    const saltus_parameter_t * items = saltus_parameter_set_items(set, &count);
    auto parameters = parameters_of(items, count);
    static_cast<node_interfaces::PreSetParametersCallbackHandle *>(context)->callback(parameters);
    const ParameterList changed(parameters);
    saltus_parameter_set_replace(set, changed.data(), changed.size());
  } catch (...) {
    keep_exception();
    saltus_parameter_set_replace(set, nullptr, 0);
  }
}

const char * on_set(void * context, const saltus_parameter_t * items, size_t count)
{
  thread_local std::string reason;
  try {
    const auto parameters = parameters_of(items, count);
    const SetParametersResult result =
      static_cast<node_interfaces::OnSetParametersCallbackHandle *>(context)->callback(parameters);
    if (result.successful) {
      return nullptr;
    }
    reason = result.reason;
  } catch (...) {
    keep_exception();
    reason = "a callback has thrown an exception";
  }
  return reason.c_str();
}

void on_post_set(void * context, const saltus_parameter_t * items, size_t count)
{
  try {
    static_cast<node_interfaces::PostSetParametersCallbackHandle *>(context)->callback(parameters_of(items, count));
  } catch (...) {
    keep_exception();
  }
}

/// Registers a callback. Its handle is its context; the end of the handle removes the callback first.
template<typename Handle, typename Callback, typename Register>
std::shared_ptr<Handle> registered(Callback callback, Register add)
{
  auto handle = std::make_shared<Handle>();
  handle->callback = std::move(callback);
  auto * own = created<saltus_parameter_callback_t>(
    "failed to add a callback for parameters", [&](saltus_parameter_callback_t ** place) {
      return add(handle.get(), place);
    });
  handle->handle = shared(own, &saltus_parameter_callback_destroy);
  Handle * pointer = handle.get();
  return std::shared_ptr<Handle>(pointer, [handle](Handle *) mutable {
             handle->handle.reset();
             handle.reset();
           });
}

/// Removes a callback.
template<typename Handle>
void remove(const Handle * handler, const char * what)
{
  if (handler == nullptr || !handler->handle) {
    throw std::runtime_error(std::string(what) + " callback doesn't exist");
  }
  // The handle is that of the program, which may still keep it.
  const_cast<Handle *>(handler)->handle.reset();
}

}  // namespace

void NodeCore::read_overrides()
{
  auto * set = created<saltus_parameter_set_t>(
    "failed to get the overrides of parameters", [this](saltus_parameter_set_t ** place) {
      return saltus_node_parameter_overrides(handle_.get(), place);
    });
  const auto owner = shared(set, &saltus_parameter_set_destroy);
  size_t count = 0;
  const saltus_parameter_t * items = saltus_parameter_set_items(set, &count);
  for (const Parameter & parameter : parameters_of(items, count)) {
    overrides_[parameter.get_name()] = parameter.get_parameter_value();
  }
}

const ParameterValue & NodeCore::kept(const std::string & name, ParameterValue value)
{
  std::lock_guard<std::mutex> lock(mutex_);
  return declared_[name] = std::move(value);
}

const ParameterValue & NodeCore::declare_parameter(
  const std::string & name, const ParameterValue & default_value, const ParameterDescriptor & descriptor,
  bool ignore_override)
{
  expect_name(name);
  if (default_value.get_type() == PARAMETER_NOT_SET && !descriptor.dynamic_typing) {
    throw exceptions::InvalidParameterTypeException(
            name, "cannot declare a statically typed parameter with an uninitialized value");
  }
  const SaltusValue value(default_value);
  const saltus_descriptor_t own = descriptor_of(descriptor, PARAMETER_NOT_SET);
  saltus_parameter_result_t * result = nullptr;
  const saltus_status_t status =
    saltus_node_declare_parameter(handle_.get(), name.c_str(), value.get(), &own, ignore_override, &result);
  throw_kept(false);
  check_parameter(status, name, "failed to declare a parameter");
  return kept(name, taken_value(result));
}

const ParameterValue & NodeCore::declare_parameter(
  const std::string & name, ParameterType type, const ParameterDescriptor & descriptor, bool ignore_override)
{
  expect_name(name);
  if (type == PARAMETER_NOT_SET) {
    throw std::invalid_argument("declare_parameter(): the provided parameter type cannot be rclcpp::PARAMETER_NOT_SET");
  }
  if (descriptor.dynamic_typing) {
    throw std::invalid_argument("declare_parameter(): cannot declare parameter of specific type and pass descriptor "
            "with `dynamic_typing=true`");
  }
  const saltus_descriptor_t own = descriptor_of(descriptor, type);
  saltus_parameter_result_t * result = nullptr;
  const saltus_status_t status =
    saltus_node_declare_parameter(handle_.get(), name.c_str(), nullptr, &own, ignore_override, &result);
  throw_kept(false);
  check_parameter(status, name, "failed to declare a parameter");
  return kept(name, taken_value(result));
}

void NodeCore::undeclare_parameter(const std::string & name)
{
  check_parameter(
    saltus_node_undeclare_parameter(handle_.get(), name.c_str()), name, "failed to undeclare a parameter");
}

bool NodeCore::has_parameter(const std::string & name) const
{
  return saltus_node_has_parameter(handle_.get(), name.c_str());
}

std::vector<SetParametersResult> NodeCore::set_parameters(const std::vector<Parameter> & parameters)
{
  std::vector<SetParametersResult> results;
  for (const Parameter & parameter : parameters) {
    results.push_back(set_parameters_atomically({parameter}));
  }
  return results;
}

SetParametersResult NodeCore::set_parameters_atomically(const std::vector<Parameter> & parameters)
{
  const ParameterList list(parameters);
  const saltus_status_t status = saltus_node_set_parameters(handle_.get(), list.data(), list.size());
  throw_kept(false);
  // A parameter that is not declared, and a change within a callback, are errors of the program. So they are thrown.
  if (status == SALTUS_PARAMETER_NOT_DECLARED || status == SALTUS_PARAMETER_IN_CALLBACK) {
    check_parameter(status, parameters.empty() ? "" : parameters.front().get_name(), "failed to set a parameter");
  }
  SetParametersResult result;
  result.successful = status == SALTUS_OK;
  if (!result.successful) {
    result.reason = last_error();
  }
  return result;
}

std::vector<Parameter> NodeCore::get_parameters(const std::vector<std::string> & names) const
{
  std::vector<Parameter> parameters;
  for (const std::string & name : names) {
    parameters.push_back(get_parameter(name));
  }
  return parameters;
}

Parameter NodeCore::get_parameter(const std::string & name) const
{
  saltus_parameter_result_t * result = nullptr;
  const saltus_status_t status = saltus_node_get_parameter(handle_.get(), name.c_str(), &result);
  if (status == SALTUS_PARAMETER_NOT_DECLARED && allows_undeclared_) {
    return Parameter(name);
  }
  check_parameter(status, name, "failed to get a parameter");
  return Parameter(name, taken_value(result));
}

bool NodeCore::get_parameter(const std::string & name, Parameter & parameter) const
{
  saltus_parameter_result_t * result = nullptr;
  const saltus_status_t status = saltus_node_get_parameter(handle_.get(), name.c_str(), &result);
  if (status != SALTUS_OK) {
    return false;
  }
  ParameterValue value = taken_value(result);
  if (value.get_type() == PARAMETER_NOT_SET) {
    return false;
  }
  parameter = Parameter(name, value);
  return true;
}

bool NodeCore::get_parameters_by_prefix(
  const std::string & prefix, std::map<std::string, Parameter> & parameters) const
{
  const std::string begin = prefix.empty() ? prefix : prefix + ".";
  bool are_some = false;
  for (const std::string & name : list_parameters({}, 0).names) {
    Parameter parameter;
    if (name.size() > begin.size() && name.compare(0, begin.size(), begin) == 0 && get_parameter(name, parameter)) {
      parameters[name.substr(begin.size())] = parameter;
      are_some = true;
    }
  }
  return are_some;
}

std::vector<ParameterDescriptor> NodeCore::describe_parameters(const std::vector<std::string> & names) const
{
  std::vector<ParameterDescriptor> descriptors;
  for (const std::string & name : names) {
    saltus_descriptor_result_t * result = nullptr;
    const saltus_status_t status = saltus_node_describe_parameter(handle_.get(), name.c_str(), &result);
    if (status == SALTUS_PARAMETER_NOT_DECLARED && allows_undeclared_) {
      ParameterDescriptor descriptor;
      descriptor.name = name;
      descriptors.push_back(descriptor);
      continue;
    }
    check_parameter(status, name, "failed to describe a parameter");
    descriptors.push_back(message_of(name, *saltus_descriptor_result_value(result)));
    saltus_descriptor_result_destroy(result);
  }
  return descriptors;
}

std::vector<uint8_t> NodeCore::get_parameter_types(const std::vector<std::string> & names) const
{
  std::vector<uint8_t> types;
  for (const ParameterDescriptor & descriptor : describe_parameters(names)) {
    types.push_back(descriptor.type);
  }
  return types;
}

rcl_interfaces::msg::ListParametersResult NodeCore::list_parameters(
  const std::vector<std::string> & prefixes, uint64_t depth) const
{
  std::vector<const char *> own;
  for (const std::string & prefix : prefixes) {
    own.push_back(prefix.c_str());
  }
  auto * names = created<saltus_parameter_names_t>(
    "failed to list parameters", [&](saltus_parameter_names_t ** place) {
      return saltus_node_list_parameters(handle_.get(), own.data(), own.size(), depth, place);
    });
  const auto owner = shared(names, &saltus_parameter_names_destroy);
  rcl_interfaces::msg::ListParametersResult result;
  for (size_t index = 0; saltus_parameter_names_name(names, index) != nullptr; ++index) {
    result.names.emplace_back(saltus_parameter_names_name(names, index));
  }
  for (size_t index = 0; saltus_parameter_names_prefix(names, index) != nullptr; ++index) {
    result.prefixes.emplace_back(saltus_parameter_names_prefix(names, index));
  }
  return result;
}

node_interfaces::PreSetParametersCallbackHandle::SharedPtr NodeCore::add_pre_set_parameters_callback(
  PreSetParametersCallbackType callback)
{
  return registered<node_interfaces::PreSetParametersCallbackHandle>(
    std::move(callback), [this](void * context, saltus_parameter_callback_t ** place) {
      return saltus_node_on_pre_set(handle_.get(), &on_pre_set, context, nullptr, place);
    });
}

node_interfaces::OnSetParametersCallbackHandle::SharedPtr NodeCore::add_on_set_parameters_callback(
  OnSetParametersCallbackType callback)
{
  return registered<node_interfaces::OnSetParametersCallbackHandle>(
    std::move(callback), [this](void * context, saltus_parameter_callback_t ** place) {
      return saltus_node_on_set(handle_.get(), &on_set, context, nullptr, place);
    });
}

node_interfaces::PostSetParametersCallbackHandle::SharedPtr NodeCore::add_post_set_parameters_callback(
  PostSetParametersCallbackType callback)
{
  return registered<node_interfaces::PostSetParametersCallbackHandle>(
    std::move(callback), [this](void * context, saltus_parameter_callback_t ** place) {
      return saltus_node_on_post_set(handle_.get(), &on_post_set, context, nullptr, place);
    });
}

void NodeCore::remove_pre_set_parameters_callback(
  const node_interfaces::PreSetParametersCallbackHandle * const handler)
{
  remove(handler, "Pre set parameter");
}

void NodeCore::remove_on_set_parameters_callback(
  const node_interfaces::OnSetParametersCallbackHandle * const handler)
{
  remove(handler, "On set parameter");
}

void NodeCore::remove_post_set_parameters_callback(
  const node_interfaces::PostSetParametersCallbackHandle * const handler)
{
  remove(handler, "Post set parameter");
}

}  // namespace rclcpp::detail
