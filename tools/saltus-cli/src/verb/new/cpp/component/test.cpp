// Tests that the component publishes.
#include <chrono>
#include <memory>
#include <optional>

#include "gtest/gtest.h"
#include "own_domain.hpp"
#include "status.hpp"

using std_msgs::msg::String;

TEST(Status, publishes)
{
  OwnDomain domain;
  auto component = std::make_shared<@name@::Status>(rclcpp::NodeOptions());
  std::optional<String> received;
  auto subscription = component->create_subscription<String>(
    "status", 10, [&received](const String & message) {received = message;});
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(component);
  for (int turn = 0; turn < 100 && !received; ++turn) {
    executor.spin_once(std::chrono::milliseconds(100));
  }
  ASSERT_TRUE(received) << "no message within 10 s";
  EXPECT_EQ(received->data, "step 1");
}
