#ifndef RCLCPP__PARAMETER_CLIENT_HPP_
#define RCLCPP__PARAMETER_CLIENT_HPP_

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rcl_interfaces/msg/list_parameters_result.hpp"
#include "rcl_interfaces/msg/parameter_descriptor.hpp"
#include "rcl_interfaces/msg/parameter_event.hpp"
#include "rcl_interfaces/msg/set_parameters_result.hpp"
#include "rclcpp/create_subscription.hpp"
#include "rclcpp/executors.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/parameter.hpp"
#include "rclcpp/parameter_map.hpp"
#include "rclcpp/qos.hpp"
#include "rclcpp/subscription.hpp"
#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{
namespace detail
{

/// Returns a profile of rmw as a QoS.
inline QoS qos_from_rmw(const rmw_qos_profile_t & profile)
{
  return QoS(QoSInitialization::from_rmw(profile), profile);
}

}  // namespace detail

/// Reads and sets the parameters of another node. An executor of its own node completes the futures.
///
/// If there is no answer, because the other node has ended, `get()` of a future throws std::runtime_error.
class RCLCPP_PUBLIC AsyncParametersClient
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(AsyncParametersClient)

  template<typename ResultT>
  using Callback = std::function<void (std::shared_future<ResultT>)>;
  using Results = std::vector<rcl_interfaces::msg::SetParametersResult>;
  using Descriptors = std::vector<rcl_interfaces::msg::ParameterDescriptor>;

  /// The remote node is given by its full name. An empty name is the node itself.
  AsyncParametersClient(
    const node_interfaces::NodeBaseInterface::SharedPtr node_base_interface,
    const node_interfaces::NodeTopicsInterface::SharedPtr node_topics_interface,
    const node_interfaces::NodeGraphInterface::SharedPtr node_graph_interface,
    const node_interfaces::NodeServicesInterface::SharedPtr node_services_interface,
    const std::string & remote_node_name = "", const rclcpp::QoS & qos_profile = rclcpp::ParametersQoS(),
    rclcpp::CallbackGroup::SharedPtr group = nullptr);
  [[deprecated("use rclcpp::QoS instead of rmw_qos_profile_t")]]
  AsyncParametersClient(
    const node_interfaces::NodeBaseInterface::SharedPtr node_base_interface,
    const node_interfaces::NodeTopicsInterface::SharedPtr node_topics_interface,
    const node_interfaces::NodeGraphInterface::SharedPtr node_graph_interface,
    const node_interfaces::NodeServicesInterface::SharedPtr node_services_interface,
    const std::string & remote_node_name, const rmw_qos_profile_t & qos_profile,
    rclcpp::CallbackGroup::SharedPtr group = nullptr)
  : AsyncParametersClient(
      node_base_interface, node_topics_interface, node_graph_interface, node_services_interface, remote_node_name,
      detail::qos_from_rmw(qos_profile), group) {}

  template<typename NodeT>
  explicit AsyncParametersClient(
    const std::shared_ptr<NodeT> node, const std::string & remote_node_name = "",
    const rclcpp::QoS & qos_profile = rclcpp::ParametersQoS(), rclcpp::CallbackGroup::SharedPtr group = nullptr)
  : AsyncParametersClient(node.get(), remote_node_name, qos_profile, group) {}
  template<typename NodeT>
  explicit AsyncParametersClient(
    NodeT * node, const std::string & remote_node_name = "",
    const rclcpp::QoS & qos_profile = rclcpp::ParametersQoS(), rclcpp::CallbackGroup::SharedPtr group = nullptr)
  : AsyncParametersClient(
      node->get_node_base_interface(), node->get_node_topics_interface(), node->get_node_graph_interface(),
      node->get_node_services_interface(), remote_node_name, qos_profile, group) {}
  template<typename NodeT>
  [[deprecated("use rclcpp::QoS instead of rmw_qos_profile_t")]]
  AsyncParametersClient(
    const std::shared_ptr<NodeT> node, const std::string & remote_node_name, const rmw_qos_profile_t & qos_profile,
    rclcpp::CallbackGroup::SharedPtr group = nullptr)
  : AsyncParametersClient(node.get(), remote_node_name, detail::qos_from_rmw(qos_profile), group) {}
  template<typename NodeT>
  [[deprecated("use rclcpp::QoS instead of rmw_qos_profile_t")]]
  AsyncParametersClient(
    NodeT * node, const std::string & remote_node_name, const rmw_qos_profile_t & qos_profile,
    rclcpp::CallbackGroup::SharedPtr group = nullptr)
  : AsyncParametersClient(node, remote_node_name, detail::qos_from_rmw(qos_profile), group) {}

  /// Parameters that are not declared are left out, or there is no result at all, as the remote node does it.
  std::shared_future<std::vector<rclcpp::Parameter>> get_parameters(
    const std::vector<std::string> & names, Callback<std::vector<rclcpp::Parameter>> callback = nullptr);
  std::shared_future<Descriptors> describe_parameters(
    const std::vector<std::string> & names, Callback<Descriptors> callback = nullptr);
  std::shared_future<std::vector<rclcpp::ParameterType>> get_parameter_types(
    const std::vector<std::string> & names, Callback<std::vector<rclcpp::ParameterType>> callback = nullptr);
  std::shared_future<Results> set_parameters(
    const std::vector<rclcpp::Parameter> & parameters, Callback<Results> callback = nullptr);
  std::shared_future<rcl_interfaces::msg::SetParametersResult> set_parameters_atomically(
    const std::vector<rclcpp::Parameter> & parameters,
    Callback<rcl_interfaces::msg::SetParametersResult> callback = nullptr);
  /// Deletes parameters, which the remote node must allow.
  std::shared_future<Results> delete_parameters(const std::vector<std::string> & parameters_names);
  /// Sets the parameters that a YAML file has for the remote node.
  /// \throws std::runtime_error if the file can't be read, rclcpp::exceptions::InvalidParametersException if it has none
  std::shared_future<Results> load_parameters(const std::string & yaml_filename);
  std::shared_future<Results> load_parameters(const rclcpp::ParameterMap & parameter_map);
  std::shared_future<rcl_interfaces::msg::ListParametersResult> list_parameters(
    const std::vector<std::string> & prefixes, uint64_t depth,
    Callback<rcl_interfaces::msg::ListParametersResult> callback = nullptr);

  /// Calls a function with each change of parameters of any node.
  template<typename CallbackT, typename AllocatorT = std::allocator<void>>
  typename rclcpp::Subscription<rcl_interfaces::msg::ParameterEvent>::SharedPtr on_parameter_event(
    CallbackT && callback, const rclcpp::QoS & qos = rclcpp::ParameterEventsQoS(),
    const rclcpp::SubscriptionOptionsWithAllocator<AllocatorT> & options =
    rclcpp::SubscriptionOptionsWithAllocator<AllocatorT>())
  {
    return on_parameter_event(node_topics_, std::forward<CallbackT>(callback), qos, options);
  }
  template<typename CallbackT, typename NodeT, typename AllocatorT = std::allocator<void>>
  static typename rclcpp::Subscription<rcl_interfaces::msg::ParameterEvent>::SharedPtr on_parameter_event(
    NodeT && node, CallbackT && callback, const rclcpp::QoS & qos = rclcpp::ParameterEventsQoS(),
    const rclcpp::SubscriptionOptionsWithAllocator<AllocatorT> & options =
    rclcpp::SubscriptionOptionsWithAllocator<AllocatorT>())
  {
    return rclcpp::create_subscription<rcl_interfaces::msg::ParameterEvent>(
      node, "/parameter_events", qos, std::forward<CallbackT>(callback), options);
  }

  /// Whether all services of the remote node are there.
  bool service_is_ready() const;
  /// Waits until they are. A negative timeout is none.
  template<typename RepT = int64_t, typename RatioT = std::milli>
  bool wait_for_service(std::chrono::duration<RepT, RatioT> timeout = std::chrono::duration<RepT, RatioT>(-1))
  {
    return wait_for_service_nanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(timeout));
  }

protected:
  bool wait_for_service_nanoseconds(std::chrono::nanoseconds timeout);

private:
  struct Clients;

  node_interfaces::NodeTopicsInterface::SharedPtr node_topics_;
  std::shared_ptr<Clients> clients_;
  std::string remote_node_name_;
};

/// Reads and sets the parameters of another node, and waits for the answers. While it waits, it spins its own node, which must
/// not be in another executor.
class RCLCPP_PUBLIC SyncParametersClient
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(SyncParametersClient)

  using Results = AsyncParametersClient::Results;
  using Descriptors = AsyncParametersClient::Descriptors;

  SyncParametersClient(
    rclcpp::Executor::SharedPtr executor, const node_interfaces::NodeBaseInterface::SharedPtr node_base_interface,
    const node_interfaces::NodeTopicsInterface::SharedPtr node_topics_interface,
    const node_interfaces::NodeGraphInterface::SharedPtr node_graph_interface,
    const node_interfaces::NodeServicesInterface::SharedPtr node_services_interface,
    const std::string & remote_node_name = "", const rclcpp::QoS & qos_profile = rclcpp::ParametersQoS())
  : executor_(executor), node_base_(node_base_interface),
    async_(std::make_shared<AsyncParametersClient>(
        node_base_interface, node_topics_interface, node_graph_interface, node_services_interface, remote_node_name,
        qos_profile)) {}
  [[deprecated("use rclcpp::QoS instead of rmw_qos_profile_t")]]
  SyncParametersClient(
    rclcpp::Executor::SharedPtr executor, const node_interfaces::NodeBaseInterface::SharedPtr node_base_interface,
    const node_interfaces::NodeTopicsInterface::SharedPtr node_topics_interface,
    const node_interfaces::NodeGraphInterface::SharedPtr node_graph_interface,
    const node_interfaces::NodeServicesInterface::SharedPtr node_services_interface,
    const std::string & remote_node_name, const rmw_qos_profile_t & qos_profile)
  : SyncParametersClient(
      executor, node_base_interface, node_topics_interface, node_graph_interface, node_services_interface,
      remote_node_name, detail::qos_from_rmw(qos_profile)) {}

  template<typename NodeT>
  explicit SyncParametersClient(
    std::shared_ptr<NodeT> node, const std::string & remote_node_name = "",
    const rclcpp::QoS & qos_profile = rclcpp::ParametersQoS())
  : SyncParametersClient(node.get(), remote_node_name, qos_profile) {}
  template<typename NodeT>
  explicit SyncParametersClient(
    NodeT * node, const std::string & remote_node_name = "", const rclcpp::QoS & qos_profile = rclcpp::ParametersQoS())
  : SyncParametersClient(new_executor(*node->get_node_base_interface()), node, remote_node_name, qos_profile) {}
  template<typename NodeT>
  SyncParametersClient(
    rclcpp::Executor::SharedPtr executor, std::shared_ptr<NodeT> node, const std::string & remote_node_name = "",
    const rclcpp::QoS & qos_profile = rclcpp::ParametersQoS())
  : SyncParametersClient(executor, node.get(), remote_node_name, qos_profile) {}
  template<typename NodeT>
  SyncParametersClient(
    rclcpp::Executor::SharedPtr executor, NodeT * node, const std::string & remote_node_name = "",
    const rclcpp::QoS & qos_profile = rclcpp::ParametersQoS())
  : SyncParametersClient(
      executor, node->get_node_base_interface(), node->get_node_topics_interface(), node->get_node_graph_interface(),
      node->get_node_services_interface(), remote_node_name, qos_profile) {}
  template<typename NodeT>
  [[deprecated("use rclcpp::QoS instead of rmw_qos_profile_t")]]
  SyncParametersClient(
    std::shared_ptr<NodeT> node, const std::string & remote_node_name, const rmw_qos_profile_t & qos_profile)
  : SyncParametersClient(node.get(), remote_node_name, detail::qos_from_rmw(qos_profile)) {}
  template<typename NodeT>
  [[deprecated("use rclcpp::QoS instead of rmw_qos_profile_t")]]
  SyncParametersClient(NodeT * node, const std::string & remote_node_name, const rmw_qos_profile_t & qos_profile)
  : SyncParametersClient(node, remote_node_name, detail::qos_from_rmw(qos_profile)) {}

  // Each function takes a timeout; a negative one is none. Without a timeout, it throws std::runtime_error if the other node
  // has no such service, or ends.

  /// Returns nothing after the timeout.
  template<typename RepT = int64_t, typename RatioT = std::milli>
  std::vector<rclcpp::Parameter> get_parameters(
    const std::vector<std::string> & parameter_names,
    std::chrono::duration<RepT, RatioT> timeout = std::chrono::duration<RepT, RatioT>(-1))
  {
    return get_parameters(parameter_names, in_nanoseconds(timeout));
  }
  bool has_parameter(const std::string & parameter_name);
  /// \throws std::runtime_error if the parameter is not set
  template<typename T>
  T get_parameter(const std::string & parameter_name)
  {
    const auto found = get_parameters({parameter_name});
    if (!is_set(found)) {
      throw std::runtime_error("Parameter '" + parameter_name + "' is not set");
    }
    return static_cast<T>(found[0].template get_value<T>());
  }
  template<typename T>
  T get_parameter(const std::string & parameter_name, const T & default_value)
  {
    const auto found = get_parameters({parameter_name});
    return is_set(found) ? static_cast<T>(found[0].template get_value<T>()) : default_value;
  }
  /// Returns nothing after the timeout.
  template<typename RepT = int64_t, typename RatioT = std::milli>
  Descriptors describe_parameters(
    const std::vector<std::string> & parameter_names,
    std::chrono::duration<RepT, RatioT> timeout = std::chrono::duration<RepT, RatioT>(-1))
  {
    return describe_parameters(parameter_names, in_nanoseconds(timeout));
  }
  /// Returns nothing after the timeout.
  template<typename RepT = int64_t, typename RatioT = std::milli>
  std::vector<rclcpp::ParameterType> get_parameter_types(
    const std::vector<std::string> & parameter_names,
    std::chrono::duration<RepT, RatioT> timeout = std::chrono::duration<RepT, RatioT>(-1))
  {
    return get_parameter_types(parameter_names, in_nanoseconds(timeout));
  }
  /// Returns nothing after the timeout.
  template<typename RepT = int64_t, typename RatioT = std::milli>
  Results set_parameters(
    const std::vector<rclcpp::Parameter> & parameters,
    std::chrono::duration<RepT, RatioT> timeout = std::chrono::duration<RepT, RatioT>(-1))
  {
    return set_parameters(parameters, in_nanoseconds(timeout));
  }
  /// \throws std::runtime_error after the timeout. So does list_parameters().
  template<typename RepT = int64_t, typename RatioT = std::milli>
  rcl_interfaces::msg::SetParametersResult set_parameters_atomically(
    const std::vector<rclcpp::Parameter> & parameters,
    std::chrono::duration<RepT, RatioT> timeout = std::chrono::duration<RepT, RatioT>(-1))
  {
    return set_parameters_atomically(parameters, in_nanoseconds(timeout));
  }
  template<typename RepT = int64_t, typename RatioT = std::milli>
  rcl_interfaces::msg::ListParametersResult list_parameters(
    const std::vector<std::string> & parameter_prefixes, uint64_t depth,
    std::chrono::duration<RepT, RatioT> timeout = std::chrono::duration<RepT, RatioT>(-1))
  {
    return list_parameters(parameter_prefixes, depth, in_nanoseconds(timeout));
  }
  template<typename RepT = int64_t, typename RatioT = std::milli>
  Results delete_parameters(
    const std::vector<std::string> & parameters_names,
    std::chrono::duration<RepT, RatioT> timeout = std::chrono::duration<RepT, RatioT>(-1))
  {
    return delete_parameters(parameters_names, in_nanoseconds(timeout));
  }
  template<typename RepT = int64_t, typename RatioT = std::milli>
  Results load_parameters(
    const std::string & yaml_filename,
    std::chrono::duration<RepT, RatioT> timeout = std::chrono::duration<RepT, RatioT>(-1))
  {
    return load_parameters(yaml_filename, in_nanoseconds(timeout));
  }

  template<typename CallbackT>
  typename rclcpp::Subscription<rcl_interfaces::msg::ParameterEvent>::SharedPtr on_parameter_event(
    CallbackT && callback)
  {
    return async_->on_parameter_event(std::forward<CallbackT>(callback));
  }
  template<typename CallbackT, typename NodeT>
  static typename rclcpp::Subscription<rcl_interfaces::msg::ParameterEvent>::SharedPtr on_parameter_event(
    NodeT && node, CallbackT && callback)
  {
    return AsyncParametersClient::on_parameter_event(node, std::forward<CallbackT>(callback));
  }

  bool service_is_ready() const {return async_->service_is_ready();}
  template<typename RepT = int64_t, typename RatioT = std::milli>
  bool wait_for_service(std::chrono::duration<RepT, RatioT> timeout = std::chrono::duration<RepT, RatioT>(-1))
  {
    return async_->wait_for_service(timeout);
  }

protected:
  std::vector<rclcpp::Parameter> get_parameters(
    const std::vector<std::string> & parameter_names, std::chrono::nanoseconds timeout);
  Descriptors describe_parameters(const std::vector<std::string> & parameter_names, std::chrono::nanoseconds timeout);
  std::vector<rclcpp::ParameterType> get_parameter_types(
    const std::vector<std::string> & parameter_names, std::chrono::nanoseconds timeout);
  Results set_parameters(const std::vector<rclcpp::Parameter> & parameters, std::chrono::nanoseconds timeout);
  rcl_interfaces::msg::SetParametersResult set_parameters_atomically(
    const std::vector<rclcpp::Parameter> & parameters, std::chrono::nanoseconds timeout);
  rcl_interfaces::msg::ListParametersResult list_parameters(
    const std::vector<std::string> & parameter_prefixes, uint64_t depth, std::chrono::nanoseconds timeout);
  Results delete_parameters(const std::vector<std::string> & parameters_names, std::chrono::nanoseconds timeout);
  Results load_parameters(const std::string & yaml_filename, std::chrono::nanoseconds timeout);

private:
  template<typename DurationT>
  static std::chrono::nanoseconds in_nanoseconds(DurationT timeout)
  {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(timeout);
  }
  static bool is_set(const std::vector<rclcpp::Parameter> & found)
  {
    return found.size() == 1 && found[0].get_type() != PARAMETER_NOT_SET;
  }
  static rclcpp::Executor::SharedPtr new_executor(node_interfaces::NodeBaseInterface & node_base);
  /// Spins the node until a future is complete. Returns whether it is.
  template<typename FutureT>
  bool wait_for(const FutureT & future, std::chrono::nanoseconds timeout);

  rclcpp::Executor::SharedPtr executor_;
  node_interfaces::NodeBaseInterface::SharedPtr node_base_;
  AsyncParametersClient::SharedPtr async_;
};

}  // namespace rclcpp

#endif  // RCLCPP__PARAMETER_CLIENT_HPP_
