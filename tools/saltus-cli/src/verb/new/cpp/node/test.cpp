// Tests that the talker publishes.
#include <chrono>
#include <memory>
#include <optional>

#include "gtest/gtest.h"
#include "own_domain.hpp"
#include "talker.hpp"

using @messages@::msg::@message@;

TEST(Talker, publishes_its_status)
{
  OwnDomain domain;
  auto talker = std::make_shared<Talker>();
  std::optional<@message@> received;
  auto subscription = talker->create_subscription<@message@>(
    "status", 10, [&received](const @message@ & message) {received = message;});
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(talker);
  for (int turn = 0; turn < 100 && !received; ++turn) {
    executor.spin_once(std::chrono::milliseconds(100));
  }
  ASSERT_TRUE(received) << "no message within 10 s";
  EXPECT_EQ(received->@field@, @first@);
}
