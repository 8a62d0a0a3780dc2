// What the tests have in common. It is compiled once for all.
#ifndef COMMON_HPP_
#define COMMON_HPP_

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "message_filters/subscriber.h"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_action/rclcpp_action.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"
#include "std_msgs/msg/string.hpp"
#include "tf2_ros/buffer.h"
#include "tf2_ros/transform_listener.h"

using namespace std::chrono_literals;  // NOLINT
using std::placeholders::_1;
using std::placeholders::_2;
using std::placeholders::_3;
using Text = std_msgs::msg::String;

/// A test with an initialized context and a node.
class WithNode : public ::testing::Test
{
protected:
  WithNode()
  {
    rclcpp::init(0, nullptr);
    node = rclcpp::Node::make_shared("tester");
  }
  ~WithNode() override
  {
    node.reset();
    rclcpp::shutdown();
  }

  /// Runs callbacks of the node until a condition holds. Returns false after ten seconds.
  template<typename Condition>
  bool spin_until(Condition condition)
  {
    return spin_node_until(node, condition);
  }

  template<typename NodePtr, typename Condition>
  static bool spin_node_until(const NodePtr & spun, Condition condition)
  {
    rclcpp::executors::SingleThreadedExecutor executor;
    executor.add_node(spun->get_node_base_interface());
    return spin_until(executor, condition);
  }

  template<typename Condition>
  static bool spin_until(rclcpp::Executor & executor, Condition condition)
  {
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (!condition() && std::chrono::steady_clock::now() < end) {
      executor.spin_once(50ms);
    }
    return condition();
  }

  static Text text(const std::string & data)
  {
    Text message;
    message.data = data;
    return message;
  }

  rclcpp::Node::SharedPtr node;
};

#endif  // COMMON_HPP_
