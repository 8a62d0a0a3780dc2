#ifndef RCLCPP__EXECUTORS_HPP_
#define RCLCPP__EXECUTORS_HPP_

#include <chrono>
#include <memory>
#include <thread>

#include "rclcpp/executors/multi_threaded_executor.hpp"
#include "rclcpp/executors/single_threaded_executor.hpp"
#include "rclcpp/executors/static_single_threaded_executor.hpp"
#include "rclcpp/experimental/executors/events_executor/events_executor.hpp"
#include "rclcpp/node.hpp"
#include "rclcpp/utilities.hpp"
#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{

/// Runs the callbacks of a node that can run now.
RCLCPP_PUBLIC void spin_some(rclcpp::node_interfaces::NodeBaseInterface::SharedPtr node_ptr);
RCLCPP_PUBLIC void spin_some(rclcpp::Node::SharedPtr node_ptr);
/// Runs the callbacks of a node until none can run, or a duration is over.
RCLCPP_PUBLIC void spin_all(
  rclcpp::node_interfaces::NodeBaseInterface::SharedPtr node_ptr, std::chrono::nanoseconds max_duration);
RCLCPP_PUBLIC void spin_all(rclcpp::Node::SharedPtr node_ptr, std::chrono::nanoseconds max_duration);
/// Runs the callbacks of a node until its context is shut down.
RCLCPP_PUBLIC void spin(rclcpp::node_interfaces::NodeBaseInterface::SharedPtr node_ptr);
RCLCPP_PUBLIC void spin(rclcpp::Node::SharedPtr node_ptr);

namespace detail
{

/// Adds a node to an executor that spins until a function returns.
/// \throws std::runtime_error with advice if another executor has the node, as in a callback of the node
RCLCPP_PUBLIC void add_to_spin(
  rclcpp::Executor & executor, const rclcpp::node_interfaces::NodeBaseInterface::SharedPtr & node);

}  // namespace detail

namespace executors
{

using rclcpp::executors::MultiThreadedExecutor;
using rclcpp::executors::SingleThreadedExecutor;

/// Runs the callbacks of a node with an executor until a future is complete.
template<typename FutureT, typename TimeRepT = int64_t, typename TimeT = std::milli>
rclcpp::FutureReturnCode
spin_node_until_future_complete(
  rclcpp::Executor & executor, rclcpp::node_interfaces::NodeBaseInterface::SharedPtr node_ptr, const FutureT & future,
  std::chrono::duration<TimeRepT, TimeT> timeout = std::chrono::duration<TimeRepT, TimeT>(-1))
{
  struct Added
  {
    rclcpp::Executor & executor;
    rclcpp::node_interfaces::NodeBaseInterface::SharedPtr node;
    ~Added() {executor.remove_node(node);}
  };
  detail::add_to_spin(executor, node_ptr);
  const Added added{executor, node_ptr};
  return executor.spin_until_future_complete(future, timeout);
}

template<
  typename NodeT = rclcpp::Node, typename FutureT, typename TimeRepT = int64_t, typename TimeT = std::milli>
rclcpp::FutureReturnCode
spin_node_until_future_complete(
  rclcpp::Executor & executor, std::shared_ptr<NodeT> node_ptr, const FutureT & future,
  std::chrono::duration<TimeRepT, TimeT> timeout = std::chrono::duration<TimeRepT, TimeT>(-1))
{
  return spin_node_until_future_complete(executor, node_ptr->get_node_base_interface(), future, timeout);
}

}  // namespace executors

/// Runs the callbacks of a node until a future is complete. A negative timeout is none.
template<typename FutureT, typename TimeRepT = int64_t, typename TimeT = std::milli>
rclcpp::FutureReturnCode
spin_until_future_complete(
  rclcpp::node_interfaces::NodeBaseInterface::SharedPtr node_ptr, const FutureT & future,
  std::chrono::duration<TimeRepT, TimeT> timeout = std::chrono::duration<TimeRepT, TimeT>(-1))
{
  rclcpp::ExecutorOptions options;
  options.context = node_ptr->get_context();
  rclcpp::executors::SingleThreadedExecutor executor(options);
  return executors::spin_node_until_future_complete(executor, node_ptr, future, timeout);
}

template<
  typename NodeT = rclcpp::Node, typename FutureT, typename TimeRepT = int64_t, typename TimeT = std::milli>
rclcpp::FutureReturnCode
spin_until_future_complete(
  std::shared_ptr<NodeT> node_ptr, const FutureT & future,
  std::chrono::duration<TimeRepT, TimeT> timeout = std::chrono::duration<TimeRepT, TimeT>(-1))
{
  return rclcpp::spin_until_future_complete(node_ptr->get_node_base_interface(), future, timeout);
}

}  // namespace rclcpp

#endif  // RCLCPP__EXECUTORS_HPP_
