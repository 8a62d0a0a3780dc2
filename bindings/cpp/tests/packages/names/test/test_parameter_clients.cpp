// Parameters of other nodes, and events of changes.
#include "common.hpp"

namespace
{

/// A node with parameters that a thread spins, and a node that wants them.
class Clients : public WithNode
{
protected:
  Clients()
  {
    other->declare_parameter("speed", 2.5);
    executor.add_node(other);
    thread = std::thread([this] {executor.spin();});
    while (!executor.is_spinning()) {
      std::this_thread::yield();
    }
  }
  ~Clients() override
  {
    executor.cancel();
    thread.join();
  }

  rclcpp::Node::SharedPtr other = std::make_shared<rclcpp::Node>("other");
  rclcpp::executors::SingleThreadedExecutor executor;
  std::thread thread;
};

}  // namespace

TEST_F(Clients, a_synchronous_client_waits_for_responses)
{
  auto client = std::make_shared<rclcpp::SyncParametersClient>(node, "other");
  ASSERT_TRUE(client->wait_for_service(10s));
  EXPECT_TRUE(client->service_is_ready());
  EXPECT_EQ(client->get_parameter<double>("speed"), 2.5);
  EXPECT_TRUE(client->has_parameter("speed"));
  EXPECT_EQ(client->get_parameters({"speed"})[0].get_value<double>(), 2.5);
  EXPECT_TRUE(client->set_parameters({rclcpp::Parameter("speed", 3.0)})[0].successful);
  EXPECT_EQ(other->get_parameter("speed").get_parameter_value().get<double>(), 3.0);
  EXPECT_TRUE(client->set_parameters_atomically({rclcpp::Parameter("speed", 4.0)}).successful);
  EXPECT_EQ(client->list_parameters({"speed"}, 1).names.size(), 1u);
}

TEST_F(Clients, an_asynchronous_client_gives_futures)
{
  auto client = std::make_shared<rclcpp::AsyncParametersClient>(node, "other");
  ASSERT_TRUE(client->wait_for_service(10s));
  auto future = client->get_parameters({"speed"});
  ASSERT_EQ(rclcpp::spin_until_future_complete(node, future, 10s), rclcpp::FutureReturnCode::SUCCESS);
  EXPECT_EQ(future.get()[0].as_double(), 2.5);
}

TEST_F(Clients, a_change_is_an_event)
{
  auto client = std::make_shared<rclcpp::AsyncParametersClient>(node, "other");
  std::string changed;
  auto subscription = client->on_parameter_event(
    [&](const rcl_interfaces::msg::ParameterEvent::SharedPtr event) {
      for (const auto & parameter : event->changed_parameters) {
        changed += event->node + " " + parameter.name;
      }
    });
  other->set_parameter({"speed", 1.0});
  EXPECT_TRUE(spin_until([&] {return changed == "/other speed";})) << changed;
}

TEST_F(Clients, a_handler_calls_for_a_parameter)
{
  auto handler = std::make_shared<rclcpp::ParameterEventHandler>(node);
  double speed = 0.0;
  int events = 0;
  auto of_parameter = handler->add_parameter_callback(
    "speed", [&](const rclcpp::Parameter & parameter) {speed = parameter.as_double();}, "/other");
  auto of_all = handler->add_parameter_event_callback(
    [&](const rcl_interfaces::msg::ParameterEvent & event) {events += event.node == "/other";});
  other->set_parameter({"speed", 7.0});
  EXPECT_TRUE(spin_until([&] {return speed == 7.0 && events == 1;}));
}
