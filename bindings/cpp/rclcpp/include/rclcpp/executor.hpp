#ifndef RCLCPP__EXECUTOR_HPP_
#define RCLCPP__EXECUTOR_HPP_

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <vector>

#include "rclcpp/callback_group.hpp"
#include "rclcpp/executor_options.hpp"
#include "rclcpp/future_return_code.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/node_interfaces/node_base_interface.hpp"
#include "rclcpp/utilities.hpp"
#include "rclcpp/visibility_control.hpp"

struct saltus_executor_t;

namespace rclcpp
{

class Node;

/// Waits for nodes, and runs their callbacks. It does not keep its nodes.
class RCLCPP_PUBLIC Executor
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS_NOT_COPYABLE(Executor)

  explicit Executor(const rclcpp::ExecutorOptions & options = rclcpp::ExecutorOptions());
  Executor(const Executor &) = delete;
  Executor & operator=(const Executor &) = delete;
  virtual ~Executor();

  /// Runs callbacks until the context is shut down, or cancel() is called. An exception of a callback leaves it.
  virtual void spin() = 0;

  /// \throws std::runtime_error if the node belongs to an executor
  virtual void add_node(rclcpp::node_interfaces::NodeBaseInterface::SharedPtr node_ptr, bool notify = true);
  virtual void add_node(std::shared_ptr<rclcpp::Node> node_ptr, bool notify = true);
  /// \throws std::runtime_error if the node does not belong to this executor
  virtual void remove_node(rclcpp::node_interfaces::NodeBaseInterface::SharedPtr node_ptr, bool notify = true);
  virtual void remove_node(std::shared_ptr<rclcpp::Node> node_ptr, bool notify = true);
  /// \throws std::runtime_error if the group belongs to an executor
  virtual void add_callback_group(
    rclcpp::CallbackGroup::SharedPtr group_ptr, rclcpp::node_interfaces::NodeBaseInterface::SharedPtr node_ptr,
    bool notify = true);
  virtual void remove_callback_group(rclcpp::CallbackGroup::SharedPtr group_ptr, bool notify = true);
  virtual std::vector<rclcpp::CallbackGroup::WeakPtr> get_all_callback_groups();
  virtual std::vector<rclcpp::CallbackGroup::WeakPtr> get_manually_added_callback_groups();
  virtual std::vector<rclcpp::CallbackGroup::WeakPtr> get_automatically_added_callback_groups_from_nodes();

  /// Adds a node, runs one callback of it, and removes it.
  template<typename RepT = int64_t, typename T = std::milli>
  void spin_node_once(
    rclcpp::node_interfaces::NodeBaseInterface::SharedPtr node,
    std::chrono::duration<RepT, T> timeout = std::chrono::duration<RepT, T>(-1))
  {
    spin_node_once_nanoseconds(node, std::chrono::duration_cast<std::chrono::nanoseconds>(timeout));
  }
  template<typename NodeT = rclcpp::Node, typename RepT = int64_t, typename T = std::milli>
  void spin_node_once(
    std::shared_ptr<NodeT> node, std::chrono::duration<RepT, T> timeout = std::chrono::duration<RepT, T>(-1))
  {
    spin_node_once_nanoseconds(
      node->get_node_base_interface(), std::chrono::duration_cast<std::chrono::nanoseconds>(timeout));
  }
  void spin_node_some(rclcpp::node_interfaces::NodeBaseInterface::SharedPtr node);
  void spin_node_some(std::shared_ptr<rclcpp::Node> node);
  void spin_node_all(
    rclcpp::node_interfaces::NodeBaseInterface::SharedPtr node, std::chrono::nanoseconds max_duration);
  void spin_node_all(std::shared_ptr<rclcpp::Node> node, std::chrono::nanoseconds max_duration);

  /// Runs each callback that can run now once. It begins none after a duration; 0 is no limit.
  virtual void spin_some(std::chrono::nanoseconds max_duration = std::chrono::nanoseconds(0));
  /// Runs callbacks until none can run, or a duration is over; 0 is no limit.
  /// \throws std::invalid_argument if the duration is negative
  virtual void spin_all(std::chrono::nanoseconds max_duration);
  /// Waits until a callback can run, and runs one. A negative timeout is none.
  virtual void spin_once(std::chrono::nanoseconds timeout = std::chrono::nanoseconds(-1));

  /// Runs callbacks until a future is complete, and returns why it has ended. A negative timeout is none.
  template<typename FutureT, typename TimeRepT = int64_t, typename TimeT = std::milli>
  FutureReturnCode spin_until_future_complete(
    const FutureT & future,
    std::chrono::duration<TimeRepT, TimeT> timeout = std::chrono::duration<TimeRepT, TimeT>(-1))
  {
    return spin_until_complete(
      [&future] {return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;},
      std::chrono::duration_cast<std::chrono::nanoseconds>(timeout));
  }

  /// Ends a running spin soon. May be called on any thread, and in a callback.
  virtual void cancel();
  /// Whether a thread spins.
  bool is_spinning();

protected:
  /// Notes that a thread spins, for as long as it exists.
  /// \throws std::runtime_error if a thread spins already
  class RCLCPP_PUBLIC Spinning
  {
public:
    Spinning(Executor & executor, const char * function);
    ~Spinning();
    Spinning(const Spinning &) = delete;
    Spinning & operator=(const Spinning &) = delete;

private:
    Executor & executor_;
  };

  FutureReturnCode spin_until_complete(const std::function<bool()> & is_complete, std::chrono::nanoseconds timeout);
  void spin_node_once_nanoseconds(
    rclcpp::node_interfaces::NodeBaseInterface::SharedPtr node, std::chrono::nanoseconds timeout);
  /// Checks the result of a function that runs callbacks. Throws the exception of a callback.
  static void check(int status);

  struct State;
  std::shared_ptr<State> state_;
};

namespace executor
{
using Executor [[deprecated("use rclcpp::Executor")]] = rclcpp::Executor;
}

}  // namespace rclcpp

#endif  // RCLCPP__EXECUTOR_HPP_
