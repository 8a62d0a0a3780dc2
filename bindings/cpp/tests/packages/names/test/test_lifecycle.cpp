// Nodes with a lifecycle.
#include "common.hpp"

#include "lifecycle_msgs/msg/state.hpp"
#include "lifecycle_msgs/msg/transition.hpp"
#include "lifecycle_msgs/srv/change_state.hpp"
#include "lifecycle_msgs/srv/get_state.hpp"

namespace
{

using CallbackReturn = rclcpp_lifecycle::node_interfaces::LifecycleNodeInterface::CallbackReturn;
using State = lifecycle_msgs::msg::State;

class Camera : public rclcpp_lifecycle::LifecycleNode
{
public:
  explicit Camera(const rclcpp::NodeOptions & options = rclcpp::NodeOptions())
  : rclcpp_lifecycle::LifecycleNode("camera", options) {}

  CallbackReturn on_configure(const rclcpp_lifecycle::State &) override
  {
    publisher = create_publisher<Text>("image", rclcpp::SensorDataQoS());
    return fails ? CallbackReturn::ERROR : CallbackReturn::SUCCESS;
  }
  CallbackReturn on_activate(const rclcpp_lifecycle::State & previous) override
  {
    before = previous.label();
    publisher->on_activate();
    return CallbackReturn::SUCCESS;
  }
  CallbackReturn on_deactivate(const rclcpp_lifecycle::State &) override
  {
    publisher->on_deactivate();
    return CallbackReturn::SUCCESS;
  }
  CallbackReturn on_cleanup(const rclcpp_lifecycle::State &) override
  {
    publisher.reset();
    return CallbackReturn::SUCCESS;
  }
  CallbackReturn on_shutdown(const rclcpp_lifecycle::State &) override
  {
    is_shut_down = true;
    return CallbackReturn::SUCCESS;
  }
  CallbackReturn on_error(const rclcpp_lifecycle::State &) override
  {
    has_error = true;
    return CallbackReturn::SUCCESS;
  }

  rclcpp_lifecycle::LifecyclePublisher<Text>::SharedPtr publisher;
  std::string before;
  bool fails = false;
  bool has_error = false;
  bool is_shut_down = false;
};

class Lifecycle : public WithNode
{
protected:
  std::shared_ptr<Camera> camera = std::make_shared<Camera>();
};

}  // namespace

TEST_F(Lifecycle, transitions_call_the_node)
{
  EXPECT_EQ(camera->get_current_state().id(), State::PRIMARY_STATE_UNCONFIGURED);
  EXPECT_EQ(camera->configure().id(), State::PRIMARY_STATE_INACTIVE);
  EXPECT_FALSE(camera->publisher->is_activated());
  EXPECT_EQ(camera->activate().label(), "active");
  EXPECT_EQ(camera->before, "inactive");
  EXPECT_TRUE(camera->publisher->is_activated());
  EXPECT_EQ(camera->deactivate().id(), State::PRIMARY_STATE_INACTIVE);
  EXPECT_EQ(camera->cleanup().id(), State::PRIMARY_STATE_UNCONFIGURED);
  EXPECT_EQ(camera->publisher, nullptr);
  EXPECT_EQ(camera->shutdown().id(), State::PRIMARY_STATE_FINALIZED);
  EXPECT_TRUE(camera->is_shut_down);
}

TEST_F(Lifecycle, a_publisher_is_silent_until_it_is_activated)
{
  std::vector<std::string> heard;
  auto subscription = node->create_subscription<Text>(
    "image", rclcpp::SensorDataQoS(), [&](const Text & message) {heard.push_back(message.data);});
  camera->configure();
  camera->publisher->publish(text("early"));
  camera->activate();
  camera->publisher->publish(std::make_unique<Text>(text("now")));
  EXPECT_TRUE(spin_until([&] {return !heard.empty();}));
  EXPECT_EQ(heard, std::vector<std::string>{"now"});
}

TEST_F(Lifecycle, an_error_calls_on_error)
{
  camera->fails = true;
  EXPECT_EQ(
    camera->trigger_transition(lifecycle_msgs::msg::Transition::TRANSITION_CONFIGURE).id(),
    State::PRIMARY_STATE_UNCONFIGURED);
  EXPECT_TRUE(camera->has_error);
}

TEST_F(Lifecycle, services_change_and_show_the_state)
{
  auto change = node->create_client<lifecycle_msgs::srv::ChangeState>("camera/change_state");
  auto get = node->create_client<lifecycle_msgs::srv::GetState>("camera/get_state");
  ASSERT_TRUE(change->wait_for_service(10s));
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(camera->get_node_base_interface());
  executor.add_node(node);
  auto request = std::make_shared<lifecycle_msgs::srv::ChangeState::Request>();
  request->transition.id = lifecycle_msgs::msg::Transition::TRANSITION_CONFIGURE;
  auto changed = change->async_send_request(request);
  ASSERT_EQ(executor.spin_until_future_complete(changed, 10s), rclcpp::FutureReturnCode::SUCCESS);
  EXPECT_TRUE(changed.get()->success);
  auto state = get->async_send_request(std::make_shared<lifecycle_msgs::srv::GetState::Request>());
  ASSERT_EQ(executor.spin_until_future_complete(state, 10s), rclcpp::FutureReturnCode::SUCCESS);
  EXPECT_EQ(state.get()->current_state.label, "inactive");
}

TEST_F(Lifecycle, it_has_parameters_and_interfaces_of_a_node)
{
  EXPECT_EQ(camera->declare_parameter("rate", 30), 30);
  EXPECT_STREQ(camera->shared_from_this()->get_name(), "camera");
  EXPECT_STREQ(camera->get_node_base_interface()->get_fully_qualified_name(), "/camera");
  int count = 0;
  auto timer = camera->create_wall_timer(1ms, [&] {++count;});
  EXPECT_TRUE(spin_node_until(camera, [&] {return count >= 2;}));
}
