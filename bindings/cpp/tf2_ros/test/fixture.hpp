// What the tests of tf2_ros have in common.
#ifndef TF2_ROS_TEST_FIXTURE_HPP_
#define TF2_ROS_TEST_FIXTURE_HPP_

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "geometry_msgs/msg/transform_stamped.hpp"
#include "gtest/gtest.h"
#include "rclcpp/rclcpp.hpp"

using namespace std::chrono_literals;  // NOLINT(build/namespaces)

inline geometry_msgs::msg::TransformStamped translated(
  const std::string & parent, const std::string & child, double x, const rclcpp::Time & stamp)
{
  geometry_msgs::msg::TransformStamped message;
  message.header.stamp = stamp;
  message.header.frame_id = parent;
  message.child_frame_id = child;
  message.transform.translation.x = x;
  message.transform.rotation.w = 1.0;
  return message;
}

/// Waits up to 10 s until a condition holds.
inline bool eventually(const std::function<bool()> & condition)
{
  const auto end = std::chrono::steady_clock::now() + 10s;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) {
      return false;
    }
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

/// A context of rclcpp with a node.
class NodeTest : public testing::Test
{
protected:
  void SetUp() override
  {
    if (!rclcpp::ok()) {
      rclcpp::init(0, nullptr);
    }
    node = std::make_shared<rclcpp::Node>("tester");
  }

  void TearDown() override
  {
    node.reset();
    rclcpp::shutdown();
  }

  rclcpp::Node::SharedPtr node;
};

/// Spins a node on a thread of its own until it is destroyed.
class Spinner
{
public:
  explicit Spinner(rclcpp::Node::SharedPtr node)
  {
    executor_.add_node(node);
    thread_ = std::thread([this] {
        while (!stop_) {
          executor_.spin_once(10ms);
        }
      });
  }
  ~Spinner()
  {
    stop_ = true;
    thread_.join();
  }

private:
  rclcpp::executors::SingleThreadedExecutor executor_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

#endif
