#include <future>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "example_interfaces/srv/add_two_ints.hpp"
#include "fixture.hpp"

using AddTwoInts = example_interfaces::srv::AddTwoInts;

namespace
{

class Services : public WithContext
{
protected:
  static AddTwoInts::Request::SharedPtr request(int64_t a, int64_t b)
  {
    auto request = std::make_shared<AddTwoInts::Request>();
    request->a = a;
    request->b = b;
    return request;
  }

  static void add(const AddTwoInts::Request::SharedPtr request, AddTwoInts::Response::SharedPtr response)
  {
    response->sum = request->a + request->b;
  }
};

TEST_F(Services, a_call_is_answered)
{
  auto node = new_node();
  auto service = node->create_service<AddTwoInts>("add", add);
  auto client = node->create_client<AddTwoInts>("add");
  ASSERT_TRUE(client->wait_for_service(10s));
  EXPECT_TRUE(client->service_is_ready());
  auto future = client->async_send_request(request(40, 2));
  EXPECT_EQ(rclcpp::FutureReturnCode::SUCCESS, rclcpp::spin_until_future_complete(node, future, 10s));
  EXPECT_EQ(42, future.get()->sum);
}

TEST_F(Services, the_callback_of_a_call_gets_the_response)
{
  auto node = new_node();
  auto service = node->create_service<AddTwoInts>("add", add);
  auto client = node->create_client<AddTwoInts>("add");
  ASSERT_TRUE(client->wait_for_service(10s));
  int64_t sum = 0;
  client->async_send_request(request(1, 2), [&](rclcpp::Client<AddTwoInts>::SharedFuture future) {sum = future.get()->sum;});
  EXPECT_TRUE(spin_until(node, [&] {return sum == 3;}));
  using Both = rclcpp::Client<AddTwoInts>::SharedFutureWithRequest;
  client->async_send_request(
    request(5, 6), [&](Both future) {
      const auto pair = future.get();
      sum = pair.first->a * 100 + pair.second->sum;
    });
  EXPECT_TRUE(spin_until(node, [&] {return sum == 511;}));
}

TEST_F(Services, a_service_can_answer_later)
{
  auto node = new_node();
  std::vector<std::shared_ptr<rmw_request_id_t>> ids;
  rclcpp::Service<AddTwoInts>::SharedPtr service = node->create_service<AddTwoInts>(
    "later", [&](std::shared_ptr<rclcpp::Service<AddTwoInts>>, std::shared_ptr<rmw_request_id_t> id,
    AddTwoInts::Request::SharedPtr) {ids.push_back(id);});
  auto client = node->create_client<AddTwoInts>("later");
  ASSERT_TRUE(client->wait_for_service(10s));
  auto future = client->async_send_request(request(0, 0));
  ASSERT_TRUE(spin_until(node, [&] {return ids.size() == 1;}));
  AddTwoInts::Response response;
  response.sum = 7;
  service->send_response(*ids.front(), response);
  EXPECT_EQ(rclcpp::FutureReturnCode::SUCCESS, rclcpp::spin_until_future_complete(node, future, 10s));
  EXPECT_EQ(7, future.get()->sum);
}

TEST_F(Services, pending_requests_can_be_removed)
{
  auto node = new_node();
  auto service = node->create_service<AddTwoInts>(
    "silent", [](std::shared_ptr<rmw_request_id_t>, AddTwoInts::Request::SharedPtr) {});
  auto client = node->create_client<AddTwoInts>("silent");
  ASSERT_TRUE(client->wait_for_service(10s));
  auto first = client->async_send_request(request(0, 0));
  auto second = client->async_send_request(request(0, 0));
  EXPECT_TRUE(client->remove_pending_request(first));
  EXPECT_FALSE(client->remove_pending_request(first));
  EXPECT_EQ(1u, client->prune_pending_requests());
  EXPECT_EQ(0u, client->prune_pending_requests());
}

TEST_F(Services, calls_without_a_server_fail_while_the_node_spins)
{
  auto node = new_node();
  auto client = node->create_client<AddTwoInts>("absent");
  auto future = client->async_send_request(request(0, 0));
  int failed = 0;
  const auto note = [&](rclcpp::Client<AddTwoInts>::SharedFuture done) {
      EXPECT_THROW(done.get(), std::runtime_error);
      failed += 1;
    };
  client->async_send_request(request(1, 0), note);
  client->async_send_request(request(2, 0), note);
  EXPECT_EQ(std::future_status::timeout, future.wait_for(0s));
  EXPECT_EQ(rclcpp::FutureReturnCode::SUCCESS, rclcpp::spin_until_future_complete(node, future, 10s));
  EXPECT_THROW(future.get(), std::runtime_error);
  EXPECT_TRUE(spin_until(node, [&] {return failed == 2;}));
  EXPECT_EQ(0u, client->prune_pending_requests());
}

TEST_F(Services, a_callback_that_expects_a_response_does_not_end_the_spin_when_the_call_fails)
{
  auto node = new_node();
  auto client = node->create_client<AddTwoInts>("absent");
  int begun = 0;
  int ended = 0;
  const auto use = [&](rclcpp::Client<AddTwoInts>::SharedFuture done) {
      begun += 1;
      ended += done.get()->sum > 0 ? 1 : 0;
    };
  client->async_send_request(request(1, 0), use);
  client->async_send_request(request(2, 0), use);
  EXPECT_TRUE(spin_until(node, [&] {return begun == 2;}));
  EXPECT_EQ(0, ended);
  // Another exception of the callback leaves spin() as always.
  client->async_send_request(request(3, 0), [](rclcpp::Client<AddTwoInts>::SharedFuture) {throw std::logic_error("mine");});
  EXPECT_THROW(spin_until(node, [] {return false;}), std::logic_error);
}

TEST_F(Services, calls_without_a_server_can_be_removed)
{
  auto node = new_node();
  auto client = node->create_client<AddTwoInts>("absent");
  auto first = client->async_send_request(request(0, 0));
  auto second = client->async_send_request(request(0, 0));
  EXPECT_TRUE(client->remove_pending_request(first));
  EXPECT_FALSE(client->remove_pending_request(first));
  EXPECT_EQ(rclcpp::FutureReturnCode::SUCCESS, rclcpp::spin_until_future_complete(node, second, 10s));
  EXPECT_THROW(first.get(), std::future_error);
}

TEST_F(Services, a_client_may_end_in_the_callback_of_a_call_without_a_server)
{
  auto node = new_node();
  auto client = node->create_client<AddTwoInts>("absent");
  client->async_send_request(
    request(0, 0), [&](rclcpp::Client<AddTwoInts>::SharedFuture) {client.reset();});
  EXPECT_TRUE(spin_until(node, [&] {return client == nullptr;}));
}

TEST_F(Services, an_exception_of_the_service_leaves_spin)
{
  auto node = new_node();
  auto service = node->create_service<AddTwoInts>(
    "failing", [](const AddTwoInts::Request::SharedPtr, AddTwoInts::Response::SharedPtr) {
      throw std::logic_error("thrown by the service");
    });
  auto client = node->create_client<AddTwoInts>("failing");
  ASSERT_TRUE(client->wait_for_service(10s));
  auto future = client->async_send_request(request(0, 0));
  EXPECT_THROW(rclcpp::spin_until_future_complete(node, future, 10s), std::logic_error);
}

TEST_F(Services, waiting_for_a_service_ends_with_the_shutdown)
{
  auto node = new_node();
  auto client = node->create_client<AddTwoInts>("absent");
  EXPECT_FALSE(client->wait_for_service(1ms));
  auto waiting = std::async(std::launch::async, [&] {return client->wait_for_service();});
  rclcpp::shutdown();
  ASSERT_EQ(std::future_status::ready, waiting.wait_for(10s));
  EXPECT_FALSE(waiting.get());
}

TEST_F(Services, an_empty_callback_is_refused)
{
  auto node = new_node();
  const std::function<void(AddTwoInts::Request::SharedPtr, AddTwoInts::Response::SharedPtr)> empty;
  EXPECT_THROW(node->create_service<AddTwoInts>("add", empty), std::invalid_argument);
}

}  // namespace
