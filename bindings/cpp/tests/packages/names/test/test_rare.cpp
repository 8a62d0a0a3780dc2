// What fewer than five repositories use. It compiles; what Saltus does not have says so.
#include "common.hpp"

#include "rcl/service_introspection.h"
#include "rclcpp/node_interfaces/node_interfaces.hpp"
#include "std_srvs/srv/trigger.hpp"

namespace
{

using Trigger = std_srvs::srv::Trigger;

class Rare : public WithNode {};

}  // namespace

TEST_F(Rare, content_filters_are_refused)
{
  auto subscription = node->create_subscription<Text>("words", 10, [](const Text &) {});
  EXPECT_FALSE(subscription->is_cft_enabled());
  rclcpp::SubscriptionOptions options;
  options.content_filter_options.filter_expression = "data = 'x'";
  EXPECT_ANY_THROW(node->create_subscription<Text>("words", 10, [](const Text &) {}, options));
}

TEST_F(Rare, introspection_of_services_is_refused)
{
  auto service = node->create_service<Trigger>("start", [](Trigger::Request::SharedPtr, Trigger::Response::SharedPtr) {});
  auto client = node->create_client<Trigger>("start");
  service->configure_introspection(node->get_clock(), rclcpp::SystemDefaultsQoS(), RCL_SERVICE_INTROSPECTION_OFF);
  EXPECT_THROW(
    client->configure_introspection(
      node->get_clock(), rclcpp::SystemDefaultsQoS(), RCL_SERVICE_INTROSPECTION_CONTENTS),
    rclcpp::exceptions::UnimplementedError);
}

TEST_F(Rare, messages_are_borrowed_and_acknowledged)
{
  auto publisher = node->create_publisher<Text>("words", 10);
  publisher->can_loan_messages();
  auto loaned = publisher->borrow_loaned_message();
  loaned.get().data = "borrowed";
  std::string heard;
  auto subscription = node->create_subscription<Text>("words", 10, [&](const Text & message) {heard = message.data;});
  publisher->publish(std::move(loaned));
  EXPECT_TRUE(spin_until([&] {return heard == "borrowed";}));
  EXPECT_TRUE(publisher->wait_for_all_acked(10s));
}

TEST_F(Rare, an_error_of_rcl_is_an_exception)
{
  try {
    rclcpp::exceptions::throw_from_rcl_error(RCL_RET_ERROR, "on purpose");
    FAIL();
  } catch (const rclcpp::exceptions::RCLError & error) {
    EXPECT_EQ(error.ret, RCL_RET_ERROR);
  }
}
