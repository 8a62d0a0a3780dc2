#include "rclcpp/parameter_client.hpp"

#include "rcl_interfaces/srv/describe_parameters.hpp"
#include "rcl_interfaces/srv/get_parameter_types.hpp"
#include "rcl_interfaces/srv/get_parameters.hpp"
#include "rcl_interfaces/srv/list_parameters.hpp"
#include "rcl_interfaces/srv/set_parameters.hpp"
#include "rcl_interfaces/srv/set_parameters_atomically.hpp"
#include "rclcpp/create_client.hpp"

namespace rclcpp
{
namespace
{

namespace srv = rcl_interfaces::srv;

/// Calls a service. Completes the future that it returns with what `convert` makes of the response.
template<typename Result, typename Service, typename Convert>
std::shared_future<Result> call(
  Client<Service> & client, std::shared_ptr<typename Service::Request> request, Convert convert,
  const AsyncParametersClient::Callback<Result> & callback)
{
  auto promise = std::make_shared<std::promise<Result>>();
  std::shared_future<Result> future(promise->get_future());
  const auto complete = [promise, future, convert, callback](typename Client<Service>::SharedFuture response) {
      try {
        promise->set_value(convert(*response.get()));
      } catch (...) {
        promise->set_exception(std::current_exception());
      }
      if (callback) {
        callback(future);
      }
    };
  client.async_send_request(std::move(request), complete);
  return future;
}

/// Returns a request that consists of names.
template<typename Service>
std::shared_ptr<typename Service::Request> request_for(const std::vector<std::string> & names)
{
  auto request = std::make_shared<typename Service::Request>();
  request->names = names;
  return request;
}

/// Returns a request that consists of parameters.
template<typename Service>
std::shared_ptr<typename Service::Request> request_for(const std::vector<Parameter> & parameters)
{
  auto request = std::make_shared<typename Service::Request>();
  for (const Parameter & parameter : parameters) {
    request->parameters.push_back(parameter.to_parameter_msg());
  }
  return request;
}

std::vector<Parameter> named(
  const std::vector<std::string> & names, const std::vector<rcl_interfaces::msg::ParameterValue> & values)
{
  std::vector<Parameter> parameters;
  for (size_t index = 0; index < values.size() && index < names.size(); ++index) {
    parameters.emplace_back(names[index], ParameterValue(values[index]));
  }
  return parameters;
}

}  // namespace

/// The clients of the services of a node for its parameters.
struct AsyncParametersClient::Clients
{
  Client<srv::GetParameters>::SharedPtr get;
  Client<srv::GetParameterTypes>::SharedPtr types;
  Client<srv::SetParameters>::SharedPtr set;
  Client<srv::SetParametersAtomically>::SharedPtr set_atomically;
  Client<srv::ListParameters>::SharedPtr list;
  Client<srv::DescribeParameters>::SharedPtr describe;

  std::vector<ClientBase *> all() const
  {
    return {get.get(), types.get(), set.get(), set_atomically.get(), list.get(), describe.get()};
  }
};

AsyncParametersClient::AsyncParametersClient(
  const node_interfaces::NodeBaseInterface::SharedPtr node_base_interface,
  const node_interfaces::NodeTopicsInterface::SharedPtr node_topics_interface,
  const node_interfaces::NodeGraphInterface::SharedPtr node_graph_interface,
  const node_interfaces::NodeServicesInterface::SharedPtr node_services_interface,
  const std::string & remote_node_name, const QoS & qos_profile, CallbackGroup::SharedPtr group)
: node_topics_(node_topics_interface), clients_(std::make_shared<Clients>()),
  remote_node_name_(remote_node_name.empty() ? node_base_interface->get_fully_qualified_name() : remote_node_name)
{
  const auto open = [&](auto & client, const char * name) {
      using Service = typename std::decay_t<decltype(*client)>::Service;
      client = create_client<Service>(
        node_base_interface, node_graph_interface, node_services_interface, remote_node_name_ + "/" + name, qos_profile,
        group);
    };
  open(clients_->get, "get_parameters");
  open(clients_->types, "get_parameter_types");
  open(clients_->set, "set_parameters");
  open(clients_->set_atomically, "set_parameters_atomically");
  open(clients_->list, "list_parameters");
  open(clients_->describe, "describe_parameters");
}

std::shared_future<std::vector<Parameter>> AsyncParametersClient::get_parameters(
  const std::vector<std::string> & names, Callback<std::vector<Parameter>> callback)
{
  return call<std::vector<Parameter>>(
    *clients_->get, request_for<srv::GetParameters>(names),
    [names](const srv::GetParameters::Response & response) {return named(names, response.values);}, callback);
}

std::shared_future<AsyncParametersClient::Descriptors> AsyncParametersClient::describe_parameters(
  const std::vector<std::string> & names, Callback<Descriptors> callback)
{
  return call<Descriptors>(
    *clients_->describe, request_for<srv::DescribeParameters>(names),
    [](const srv::DescribeParameters::Response & response) {return response.descriptors;}, callback);
}

std::shared_future<std::vector<ParameterType>> AsyncParametersClient::get_parameter_types(
  const std::vector<std::string> & names, Callback<std::vector<ParameterType>> callback)
{
  return call<std::vector<ParameterType>>(
    *clients_->types, request_for<srv::GetParameterTypes>(names),
    [](const srv::GetParameterTypes::Response & response) {
      std::vector<ParameterType> types;
      for (const uint8_t type : response.types) {
        types.push_back(static_cast<ParameterType>(type));
      }
      return types;
    }, callback);
}

std::shared_future<AsyncParametersClient::Results> AsyncParametersClient::set_parameters(
  const std::vector<Parameter> & parameters, Callback<Results> callback)
{
  return call<Results>(
    *clients_->set, request_for<srv::SetParameters>(parameters),
    [](const srv::SetParameters::Response & response) {return response.results;}, callback);
}

std::shared_future<rcl_interfaces::msg::SetParametersResult> AsyncParametersClient::set_parameters_atomically(
  const std::vector<Parameter> & parameters, Callback<rcl_interfaces::msg::SetParametersResult> callback)
{
  return call<rcl_interfaces::msg::SetParametersResult>(
    *clients_->set_atomically, request_for<srv::SetParametersAtomically>(parameters),
    [](const srv::SetParametersAtomically::Response & response) {return response.result;}, callback);
}

std::shared_future<AsyncParametersClient::Results> AsyncParametersClient::delete_parameters(
  const std::vector<std::string> & parameters_names)
{
  // A parameter without a value is deleted.
  std::vector<Parameter> parameters;
  for (const std::string & name : parameters_names) {
    parameters.emplace_back(name);
  }
  return set_parameters(parameters);
}

std::shared_future<AsyncParametersClient::Results> AsyncParametersClient::load_parameters(
  const std::string & yaml_filename)
{
  return load_parameters(parameter_map_from_yaml_file(yaml_filename, remote_node_name_.c_str()));
}

std::shared_future<AsyncParametersClient::Results> AsyncParametersClient::load_parameters(
  const ParameterMap & parameter_map)
{
  const auto parameters = parameters_from_map(parameter_map, remote_node_name_.c_str());
  if (parameters.empty()) {
    throw exceptions::InvalidParametersException("parameter map has no parameters for the node '" + remote_node_name_ + "'");
  }
  return set_parameters(parameters);
}

std::shared_future<rcl_interfaces::msg::ListParametersResult> AsyncParametersClient::list_parameters(
  const std::vector<std::string> & prefixes, uint64_t depth,
  Callback<rcl_interfaces::msg::ListParametersResult> callback)
{
  auto request = std::make_shared<srv::ListParameters::Request>();
  request->prefixes = prefixes;
  request->depth = depth;
  return call<rcl_interfaces::msg::ListParametersResult>(
    *clients_->list, request, [](const srv::ListParameters::Response & response) {return response.result;}, callback);
}

bool AsyncParametersClient::service_is_ready() const
{
  for (const ClientBase * client : clients_->all()) {
    if (!client->service_is_ready()) {
      return false;
    }
  }
  return true;
}

bool AsyncParametersClient::wait_for_service_nanoseconds(std::chrono::nanoseconds timeout)
{
  const auto begin = std::chrono::steady_clock::now();
  for (ClientBase * client : clients_->all()) {
    const std::chrono::nanoseconds past = std::chrono::steady_clock::now() - begin;
    const auto left = timeout < timeout.zero() ? timeout : std::max(timeout - past, timeout.zero());
    if (!client->wait_for_service(left)) {
      return false;
    }
  }
  return true;
}

Executor::SharedPtr SyncParametersClient::new_executor(node_interfaces::NodeBaseInterface & node_base)
{
  ExecutorOptions options;
  options.context = node_base.get_context();
  return std::make_shared<executors::SingleThreadedExecutor>(options);
}

template<typename FutureT>
bool SyncParametersClient::wait_for(const FutureT & future, std::chrono::nanoseconds timeout)
{
  const auto code = executors::spin_node_until_future_complete(*executor_, node_base_, future, timeout);
  if (code != FutureReturnCode::SUCCESS) {
    return false;
  }
  try {
    future.get();
    return true;
  } catch (const std::runtime_error &) {
    // A caller with a timeout expects that there may be no answer. Another one would wait for ever in ROS 2.
    if (timeout < timeout.zero()) {
      throw;
    }
    return false;
  }
}

bool SyncParametersClient::has_parameter(const std::string & parameter_name)
{
  return !list_parameters({parameter_name}, 1).names.empty();
}

std::vector<Parameter> SyncParametersClient::get_parameters(
  const std::vector<std::string> & parameter_names, std::chrono::nanoseconds timeout)
{
  const auto future = async_->get_parameters(parameter_names);
  return wait_for(future, timeout) ? future.get() : std::vector<Parameter>();
}

SyncParametersClient::Descriptors SyncParametersClient::describe_parameters(
  const std::vector<std::string> & parameter_names, std::chrono::nanoseconds timeout)
{
  const auto future = async_->describe_parameters(parameter_names);
  return wait_for(future, timeout) ? future.get() : Descriptors();
}

std::vector<ParameterType> SyncParametersClient::get_parameter_types(
  const std::vector<std::string> & parameter_names, std::chrono::nanoseconds timeout)
{
  const auto future = async_->get_parameter_types(parameter_names);
  return wait_for(future, timeout) ? future.get() : std::vector<ParameterType>();
}

SyncParametersClient::Results SyncParametersClient::set_parameters(
  const std::vector<Parameter> & parameters, std::chrono::nanoseconds timeout)
{
  const auto future = async_->set_parameters(parameters);
  return wait_for(future, timeout) ? future.get() : Results();
}

rcl_interfaces::msg::SetParametersResult SyncParametersClient::set_parameters_atomically(
  const std::vector<Parameter> & parameters, std::chrono::nanoseconds timeout)
{
  const auto future = async_->set_parameters_atomically(parameters);
  if (!wait_for(future, timeout)) {
    throw std::runtime_error("Unable to get result of set parameters service call.");
  }
  return future.get();
}

rcl_interfaces::msg::ListParametersResult SyncParametersClient::list_parameters(
  const std::vector<std::string> & parameter_prefixes, uint64_t depth, std::chrono::nanoseconds timeout)
{
  const auto future = async_->list_parameters(parameter_prefixes, depth);
  if (!wait_for(future, timeout)) {
    throw std::runtime_error("Unable to get result of list parameters service call.");
  }
  return future.get();
}

SyncParametersClient::Results SyncParametersClient::delete_parameters(
  const std::vector<std::string> & parameters_names, std::chrono::nanoseconds timeout)
{
  const auto future = async_->delete_parameters(parameters_names);
  return wait_for(future, timeout) ? future.get() : Results();
}

SyncParametersClient::Results SyncParametersClient::load_parameters(
  const std::string & yaml_filename, std::chrono::nanoseconds timeout)
{
  const auto future = async_->load_parameters(yaml_filename);
  return wait_for(future, timeout) ? future.get() : Results();
}

}  // namespace rclcpp
