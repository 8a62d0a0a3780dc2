// Tests that the service answers.
#include <chrono>
#include <memory>

#include "add_server.hpp"
#include "gtest/gtest.h"
#include "own_domain.hpp"

TEST(AddServer, adds_two_numbers)
{
  const std::chrono::seconds limit(10);
  OwnDomain domain;
  auto server = std::make_shared<AddServer>();
  auto client = server->create_client<AddServer::AddTwoInts>("add_two_ints");
  ASSERT_TRUE(client->wait_for_service(limit));
  auto request = std::make_shared<AddServer::AddTwoInts::Request>();
  request->a = 2;
  request->b = 40;
  auto response = client->async_send_request(request);
  ASSERT_EQ(rclcpp::spin_until_future_complete(server, response, limit), rclcpp::FutureReturnCode::SUCCESS);
  EXPECT_EQ(response.get()->sum, 42);
}
