// Tests that the action computes a result.
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "fibonacci_server.hpp"
#include "gtest/gtest.h"
#include "own_domain.hpp"

TEST(FibonacciServer, computes_fibonacci_numbers)
{
  const std::chrono::seconds limit(10);
  const auto success = rclcpp::FutureReturnCode::SUCCESS;
  OwnDomain domain;
  auto server = std::make_shared<FibonacciServer>();
  auto client = rclcpp_action::create_client<FibonacciServer::Fibonacci>(server, "fibonacci");
  ASSERT_TRUE(client->wait_for_action_server(limit));
  FibonacciServer::Fibonacci::Goal goal;
  goal.order = 5;
  auto sent = client->async_send_goal(goal);
  ASSERT_EQ(rclcpp::spin_until_future_complete(server, sent, limit), success);
  auto handle = sent.get();
  ASSERT_TRUE(handle) << "the goal was rejected";
  auto result = client->async_get_result(handle);
  ASSERT_EQ(rclcpp::spin_until_future_complete(server, result, limit), success);
  EXPECT_EQ(result.get().result->sequence, (std::vector<int32_t>{0, 1, 1, 2, 3, 5}));
}
