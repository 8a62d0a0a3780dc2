// What the tests of rclcpp have in common.
#ifndef FIXTURE_HPP_
#define FIXTURE_HPP_

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "rclcpp/rclcpp.hpp"
#include "std_msgs/msg/string.hpp"

using namespace std::chrono_literals;  // NOLINT

/// A test with an initialized default context.
class WithContext : public ::testing::Test
{
protected:
  WithContext() {rclcpp::init(0, nullptr);}
  ~WithContext() override {rclcpp::shutdown();}

  /// Returns a node with the name of the test.
  static rclcpp::Node::SharedPtr new_node(const rclcpp::NodeOptions & options = rclcpp::NodeOptions())
  {
    return std::make_shared<rclcpp::Node>(::testing::UnitTest::GetInstance()->current_test_info()->name(), options);
  }

  /// Runs callbacks until a condition holds. Returns whether it holds within ten seconds.
  template<typename Condition>
  static bool spin_until(rclcpp::Executor & executor, Condition condition)
  {
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (!condition() && std::chrono::steady_clock::now() < end) {
      executor.spin_once(100ms);
    }
    return condition();
  }

  template<typename Condition>
  static bool spin_until(const rclcpp::Node::SharedPtr & node, Condition condition)
  {
    rclcpp::executors::SingleThreadedExecutor executor;
    executor.add_node(node);
    return spin_until(executor, condition);
  }

  static std_msgs::msg::String text(const std::string & data)
  {
    std_msgs::msg::String message;
    message.data = data;
    return message;
  }
};

#endif  // FIXTURE_HPP_
