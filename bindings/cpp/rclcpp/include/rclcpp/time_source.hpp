#ifndef RCLCPP__TIME_SOURCE_HPP_
#define RCLCPP__TIME_SOURCE_HPP_

#include <memory>

#include "rcl/time.h"
#include "rclcpp/clock.hpp"
#include "rclcpp/executors.hpp"
#include "rclcpp/node.hpp"
#include "rclcpp/node_interfaces/node_parameters_interface.hpp"
#include "rclcpp/qos.hpp"
#include "rclcpp/visibility_control.hpp"
// Programs use it without including it.
#include "rosgraph_msgs/msg/clock.hpp"

namespace rclcpp
{

/// Sets clocks to the time of a node: to that of /clock if the parameter use_sim_time of the node is true.
///
/// The node receives the messages on /clock, with its own quality of service and while it spins. So the arguments `qos` and
/// `use_clock_thread` have no effect. Timers do not follow clocks that a time source has set, but only the clock of the node.
class RCLCPP_PUBLIC TimeSource
{
public:
  explicit TimeSource(
    rclcpp::Node::SharedPtr node, const rclcpp::QoS & qos = rclcpp::ClockQoS(), bool use_clock_thread = true);
  explicit TimeSource(const rclcpp::QoS & qos = rclcpp::ClockQoS(), bool use_clock_thread = true);
  TimeSource(const TimeSource &) = delete;
  TimeSource & operator=(const TimeSource &) = delete;
  TimeSource(TimeSource &&) = default;
  TimeSource & operator=(TimeSource &&) = default;
  ~TimeSource();

  /// Takes the time from a node, and no more from the one before.
  void attachNode(rclcpp::Node::SharedPtr node);
  void attachNode(
    rclcpp::node_interfaces::NodeBaseInterface::SharedPtr node_base_interface,
    rclcpp::node_interfaces::NodeTopicsInterface::SharedPtr node_topics_interface,
    rclcpp::node_interfaces::NodeGraphInterface::SharedPtr node_graph_interface,
    rclcpp::node_interfaces::NodeServicesInterface::SharedPtr node_services_interface,
    rclcpp::node_interfaces::NodeLoggingInterface::SharedPtr node_logging_interface,
    rclcpp::node_interfaces::NodeClockInterface::SharedPtr node_clock_interface,
    rclcpp::node_interfaces::NodeParametersInterface::SharedPtr node_parameters_interface);
  /// Takes no more time from the node. The clocks show the time of the system.
  void detachNode();
  /// Sets a clock from now on.
  /// \throws std::invalid_argument if the time is simulated, and the clock is no clock of ROS time
  void attachClock(rclcpp::Clock::SharedPtr clock);
  /// Does not set a clock any more. It keeps its time.
  void detachClock(rclcpp::Clock::SharedPtr clock);

  bool get_use_clock_thread();
  void set_use_clock_thread(bool use_clock_thread);
  /// Returns whether the time comes from messages on /clock, which a thread of its own takes.
  bool clock_thread_is_joinable();

private:
  class NodeState;

  std::shared_ptr<NodeState> node_state_;
};

}  // namespace rclcpp

#endif  // RCLCPP__TIME_SOURCE_HPP_
