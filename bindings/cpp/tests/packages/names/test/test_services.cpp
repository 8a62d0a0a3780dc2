// Services and their clients.
#include "common.hpp"

#include "example_interfaces/srv/add_two_ints.hpp"
#include "std_srvs/srv/trigger.hpp"

namespace
{

using AddTwoInts = example_interfaces::srv::AddTwoInts;
using Trigger = std_srvs::srv::Trigger;

/// A node with services, whose callbacks are methods.
class Server : public rclcpp::Node
{
public:
  Server()
  : Node("server")
  {
    sum_ = create_service<AddTwoInts>("sum", std::bind(&Server::on_sum, this, _1, _2));
    trigger_ = this->create_service<Trigger>("~/trigger", std::bind(&Server::on_trigger, this, _1, _2, _3));
  }

  const char * trigger_name() const {return trigger_->get_service_name();}
  int64_t newest = 0;

private:
  void on_sum(const AddTwoInts::Request::SharedPtr request, AddTwoInts::Response::SharedPtr response)
  {
    response->sum = request->a + request->b;
  }
  void on_trigger(
    const std::shared_ptr<rmw_request_id_t> id, const std::shared_ptr<Trigger::Request>,
    const std::shared_ptr<Trigger::Response> response)
  {
    newest = id->sequence_number;
    response->success = true;
    response->message = "done";
  }

  rclcpp::Service<AddTwoInts>::SharedPtr sum_;
  rclcpp::Service<Trigger>::SharedPtr trigger_;
};

class Services : public WithNode
{
protected:
  Services()
  {
    executor.add_node(server);
    executor.add_node(node);
  }

  std::shared_ptr<Server> server = std::make_shared<Server>();
  rclcpp::executors::SingleThreadedExecutor executor;
};

AddTwoInts::Request::SharedPtr sum_of(int64_t a, int64_t b)
{
  auto request = std::make_shared<AddTwoInts::Request>();
  request->a = a;
  request->b = b;
  return request;
}

}  // namespace

TEST_F(Services, a_future_gets_the_response)
{
  rclcpp::Client<AddTwoInts>::SharedPtr client = node->create_client<AddTwoInts>("sum");
  ASSERT_TRUE(client->wait_for_service(10s));
  EXPECT_TRUE(client->service_is_ready());
  EXPECT_STREQ(client->get_service_name(), "/sum");
  auto future = client->async_send_request(sum_of(2, 3));
  ASSERT_EQ(executor.spin_until_future_complete(future, 10s), rclcpp::FutureReturnCode::SUCCESS);
  EXPECT_EQ(future.get()->sum, 5);
}

TEST_F(Services, a_node_is_spun_until_the_response)
{
  auto client = node->create_client<AddTwoInts>("sum");
  executor.remove_node(node);
  std::thread thread([&] {executor.spin();});
  while (!executor.is_spinning()) {
    std::this_thread::yield();
  }
  ASSERT_TRUE(client->wait_for_service(10s));
  auto future = client->async_send_request(sum_of(4, 5));
  EXPECT_EQ(rclcpp::spin_until_future_complete(node, future, 10s), rclcpp::FutureReturnCode::SUCCESS);
  EXPECT_EQ(future.get()->sum, 9);
  executor.cancel();
  thread.join();
}

TEST_F(Services, a_callback_gets_the_response)
{
  auto client = node->create_client<Trigger>("server/trigger");
  ASSERT_TRUE(client->wait_for_service(10s));
  EXPECT_STREQ(server->trigger_name(), "/server/trigger");
  std::string message;
  client->async_send_request(
    std::make_shared<Trigger::Request>(), [&](rclcpp::Client<Trigger>::SharedFuture future) {
      message = future.get()->message;
    });
  EXPECT_TRUE(spin_until(executor, [&] {return message == "done";}));
  EXPECT_GT(server->newest, 0);
}

TEST_F(Services, a_future_that_no_one_answers_times_out)
{
  auto service = node->create_service<AddTwoInts>(
    "silent", [](const std::shared_ptr<rmw_request_id_t>, const std::shared_ptr<AddTwoInts::Request>) {});
  auto client = node->create_client<AddTwoInts>("silent");
  ASSERT_TRUE(client->wait_for_service(10s));
  auto future = client->async_send_request(sum_of(1, 1));
  EXPECT_EQ(executor.spin_until_future_complete(future, 10ms), rclcpp::FutureReturnCode::TIMEOUT);
  EXPECT_TRUE(client->remove_pending_request(future));
}

TEST_F(Services, a_client_without_a_server_is_not_ready)
{
  auto client = node->create_client<AddTwoInts>("nobody");
  EXPECT_FALSE(client->service_is_ready());
  EXPECT_FALSE(client->wait_for_service(1ms));
}

TEST_F(Services, they_are_deferred_and_have_bases)
{
  std::shared_ptr<rmw_request_id_t> id;
  auto service = node->create_service<AddTwoInts>(
    "later", [&](const std::shared_ptr<rmw_request_id_t> request_id, const std::shared_ptr<AddTwoInts::Request>) {
      id = request_id;
    });
  auto client = node->create_client<AddTwoInts>("later", rclcpp::ServicesQoS());
  rclcpp::ServiceBase::SharedPtr service_base = service;
  rclcpp::ClientBase::SharedPtr client_base = client;
  EXPECT_STREQ(service_base->get_service_name(), client_base->get_service_name());
  ASSERT_TRUE(client->wait_for_service(10s));
  auto future = client->async_send_request(sum_of(1, 1));
  ASSERT_TRUE(spin_until(executor, [&] {return id != nullptr;}));
  AddTwoInts::Response response;
  response.sum = 7;
  service->send_response(*id, response);
  ASSERT_EQ(executor.spin_until_future_complete(future, 10s), rclcpp::FutureReturnCode::SUCCESS);
  EXPECT_EQ(future.get()->sum, 7);
}
