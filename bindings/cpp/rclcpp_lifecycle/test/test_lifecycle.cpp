// Nodes with a lifecycle: their transitions, publishers and services.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lifecycle_msgs/msg/state.hpp"
#include "lifecycle_msgs/msg/transition_event.hpp"
#include "lifecycle_msgs/srv/change_state.hpp"
#include "lifecycle_msgs/srv/get_available_transitions.hpp"
#include "lifecycle_msgs/srv/get_state.hpp"
#include "rcl_lifecycle/default_state_machine.h"
#include "rcl_lifecycle/rcl_lifecycle.h"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_lifecycle/lifecycle_node.hpp"
#include "rclcpp_lifecycle/type_traits/is_manageable_node.hpp"
#include "std_msgs/msg/string.hpp"

using namespace std::chrono_literals;  // NOLINT
using CallbackReturn = rclcpp_lifecycle::node_interfaces::LifecycleNodeInterface::CallbackReturn;
using lifecycle_msgs::msg::State;
using lifecycle_msgs::msg::Transition;
using Text = std_msgs::msg::String;

static_assert(rclcpp_lifecycle::is_manageable_node<rclcpp_lifecycle::LifecyclePublisher<Text>>::value);
static_assert(!rclcpp_lifecycle::is_manageable_node<rclcpp::Publisher<Text>>::value);

/// A node that notes its callbacks, and gives the result that the test sets.
class Noting : public rclcpp_lifecycle::LifecycleNode
{
public:
  explicit Noting(const std::string & name, bool has_services = true)
  : LifecycleNode(name, rclcpp::NodeOptions(), has_services) {}

  CallbackReturn on_configure(const rclcpp_lifecycle::State & previous) override
  {
    publisher = create_publisher<Text>("chatter", 10);
    return note("configure", previous);
  }
  CallbackReturn on_activate(const rclcpp_lifecycle::State & previous) override
  {
    LifecycleNode::on_activate(previous);
    return note("activate", previous);
  }
  CallbackReturn on_cleanup(const rclcpp_lifecycle::State & previous) override {return note("cleanup", previous);}
  CallbackReturn on_shutdown(const rclcpp_lifecycle::State & previous) override {return note("shutdown", previous);}
  CallbackReturn on_error(const rclcpp_lifecycle::State & previous) override
  {
    notes.push_back("error from " + previous.label());
    return on_error_result;
  }

  CallbackReturn note(const std::string & what, const rclcpp_lifecycle::State & previous)
  {
    notes.push_back(what + " from " + previous.label());
    if (throws) {
      throw std::runtime_error("on purpose");
    }
    return result;
  }

  rclcpp_lifecycle::LifecyclePublisher<Text>::SharedPtr publisher;
  std::vector<std::string> notes;
  CallbackReturn result = CallbackReturn::SUCCESS;
  CallbackReturn on_error_result = CallbackReturn::SUCCESS;
  bool throws = false;
};

class Lifecycle : public ::testing::Test
{
protected:
  Lifecycle() {rclcpp::init(0, nullptr);}
  ~Lifecycle() override {rclcpp::shutdown();}

  template<typename Condition>
  static bool spin_until(rclcpp::Executor & executor, Condition condition)
  {
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (!condition() && std::chrono::steady_clock::now() < end) {
      executor.spin_once(50ms);
    }
    return condition();
  }
};

TEST_F(Lifecycle, a_node_goes_through_its_states)
{
  auto node = std::make_shared<Noting>("states");
  EXPECT_EQ(State::PRIMARY_STATE_UNCONFIGURED, node->get_current_state().id());
  EXPECT_EQ("unconfigured", node->get_current_state().label());
  EXPECT_EQ(State::PRIMARY_STATE_INACTIVE, node->configure().id());
  EXPECT_EQ(State::PRIMARY_STATE_ACTIVE, node->activate().id());
  EXPECT_EQ(State::PRIMARY_STATE_INACTIVE, node->deactivate().id());
  EXPECT_EQ(State::PRIMARY_STATE_UNCONFIGURED, node->cleanup().id());
  EXPECT_EQ(State::PRIMARY_STATE_FINALIZED, node->shutdown().id());
  EXPECT_EQ(
    (std::vector<std::string>{
      "configure from unconfigured", "activate from inactive", "cleanup from inactive", "shutdown from unconfigured"}),
    node->notes);
}

TEST_F(Lifecycle, a_transition_that_is_not_possible_changes_nothing)
{
  auto node = std::make_shared<Noting>("not_possible");
  auto result = CallbackReturn::SUCCESS;
  EXPECT_EQ(State::PRIMARY_STATE_UNCONFIGURED, node->activate(result).id());
  EXPECT_EQ(CallbackReturn::ERROR, result);
  EXPECT_EQ(State::PRIMARY_STATE_UNCONFIGURED, node->trigger_transition(uint8_t{99}).id());
  EXPECT_TRUE(node->notes.empty());
}

TEST_F(Lifecycle, the_result_of_a_callback_decides)
{
  auto node = std::make_shared<Noting>("results");
  node->result = CallbackReturn::FAILURE;
  auto result = CallbackReturn::SUCCESS;
  EXPECT_EQ(State::PRIMARY_STATE_UNCONFIGURED, node->configure(result).id());
  EXPECT_EQ(CallbackReturn::FAILURE, result);
  node->result = CallbackReturn::ERROR;
  EXPECT_EQ(State::PRIMARY_STATE_UNCONFIGURED, node->configure(result).id()) << "on_error has repaired it";
  node->result = CallbackReturn::SUCCESS;
  node->throws = true;
  node->on_error_result = CallbackReturn::FAILURE;
  EXPECT_EQ(State::PRIMARY_STATE_FINALIZED, node->configure(result).id()) << "an exception is an error";
  EXPECT_EQ(CallbackReturn::ERROR, result);
  EXPECT_EQ("error from unconfigured", node->notes.back());
}

TEST_F(Lifecycle, a_transition_in_a_callback_is_refused)
{
  auto node = std::make_shared<rclcpp_lifecycle::LifecycleNode>("nested");
  uint8_t during = 0;
  node->register_on_configure(
    [&](const rclcpp_lifecycle::State &) {
      during = node->activate().id();
      return CallbackReturn::SUCCESS;
    });
  EXPECT_EQ(State::PRIMARY_STATE_INACTIVE, node->configure().id());
  EXPECT_EQ(State::TRANSITION_STATE_CONFIGURING, during);
}

TEST_F(Lifecycle, publishers_publish_only_while_the_node_is_active)
{
  auto node = std::make_shared<Noting>("publishers");
  auto listener = std::make_shared<rclcpp::Node>("listener");
  std::vector<std::string> heard;
  auto subscription = listener->create_subscription<Text>(
    "chatter", 10, [&](const Text & text) {heard.push_back(text.data);});
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(listener);
  executor.add_node(node->get_node_base_interface());
  node->configure();
  ASSERT_TRUE(spin_until(executor, [&] {return node->publisher->get_subscription_count() == 1;}));
  Text text;
  text.data = "inactive";
  EXPECT_FALSE(node->publisher->is_activated());
  node->publisher->publish(text);
  node->activate();
  EXPECT_TRUE(node->publisher->is_activated());
  text.data = "active";
  node->publisher->publish(text);
  rclcpp::Publisher<Text>::SharedPtr as_publisher = node->publisher;
  as_publisher->publish(std::make_unique<Text>(text));
  node->deactivate();
  text.data = "inactive";
  node->publisher->publish(text);
  ASSERT_TRUE(spin_until(executor, [&] {return heard.size() >= 2;}));
  EXPECT_EQ((std::vector<std::string>{"active", "active"}), heard);
}

TEST_F(Lifecycle, other_nodes_manage_it)
{
  auto node = std::make_shared<Noting>("managed");
  auto manager = std::make_shared<rclcpp::Node>("manager");
  auto change = manager->create_client<lifecycle_msgs::srv::ChangeState>("managed/change_state");
  auto get = manager->create_client<lifecycle_msgs::srv::GetState>("managed/get_state");
  auto available = manager->create_client<lifecycle_msgs::srv::GetAvailableTransitions>("managed/get_available_transitions");
  std::vector<std::string> steps;
  auto events = manager->create_subscription<lifecycle_msgs::msg::TransitionEvent>(
    "managed/transition_event", 10,
    [&](const lifecycle_msgs::msg::TransitionEvent & event) {
      steps.push_back(event.start_state.label + " to " + event.goal_state.label);
    });
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(node->get_node_base_interface());
  executor.add_node(manager);
  ASSERT_TRUE(spin_until(executor, [&] {return change->service_is_ready() && get->service_is_ready();}));
  auto request = std::make_shared<lifecycle_msgs::srv::ChangeState::Request>();
  request->transition.id = Transition::TRANSITION_CONFIGURE;
  auto changed = change->async_send_request(request);
  ASSERT_EQ(rclcpp::FutureReturnCode::SUCCESS, executor.spin_until_future_complete(changed, 10s));
  EXPECT_TRUE(changed.get()->success);
  auto got = get->async_send_request(std::make_shared<lifecycle_msgs::srv::GetState::Request>());
  ASSERT_EQ(rclcpp::FutureReturnCode::SUCCESS, executor.spin_until_future_complete(got, 10s));
  EXPECT_EQ("inactive", got.get()->current_state.label);
  auto listed = available->async_send_request(
    std::make_shared<lifecycle_msgs::srv::GetAvailableTransitions::Request>());
  ASSERT_EQ(rclcpp::FutureReturnCode::SUCCESS, executor.spin_until_future_complete(listed, 10s));
  EXPECT_EQ(node->get_available_transitions().size(), listed.get()->available_transitions.size());
  ASSERT_TRUE(spin_until(executor, [&] {return steps.size() == 2;}));
  EXPECT_EQ((std::vector<std::string>{"unconfigured to configuring", "configuring to inactive"}), steps);
}

TEST_F(Lifecycle, a_local_node_has_no_services)
{
  auto node = std::make_shared<Noting>("local", false);
  EXPECT_EQ(State::PRIMARY_STATE_INACTIVE, node->configure().id());
  for (const auto & [service, types] : node->get_service_names_and_types_by_node("local", "/")) {
    EXPECT_EQ(std::string::npos, service.find("state")) << service;
  }
}

TEST_F(Lifecycle, states_and_transitions_are_listed)
{
  rclcpp_lifecycle::LifecycleNode node("listed", "/here");
  EXPECT_STREQ("/here/listed", node.get_fully_qualified_name());
  EXPECT_EQ(11u, node.get_available_states().size());
  EXPECT_EQ(25u, node.get_transition_graph().size());
  std::vector<std::pair<uint8_t, std::string>> available;
  for (const auto & transition : node.get_available_transitions()) {
    available.emplace_back(transition.id(), transition.label());
    EXPECT_EQ("unconfigured", transition.start_state().label());
  }
  EXPECT_EQ(
    (std::vector<std::pair<uint8_t, std::string>>{
      {Transition::TRANSITION_CONFIGURE, "configure"}, {Transition::TRANSITION_UNCONFIGURED_SHUTDOWN, "shutdown"}}),
    available);
}

TEST_F(Lifecycle, entities_follow_the_node_until_they_are_dropped)
{
  auto node = std::make_shared<rclcpp_lifecycle::LifecycleNode>("entities");
  auto kept = std::make_shared<rclcpp_lifecycle::SimpleManagedEntity>();
  auto dropped = std::make_shared<rclcpp_lifecycle::SimpleManagedEntity>();
  node->add_managed_entity(kept);
  node->add_managed_entity(dropped);
  dropped.reset();
  node->configure();
  EXPECT_FALSE(kept->is_activated());
  node->activate();
  EXPECT_TRUE(kept->is_activated());
  node->deactivate();
  EXPECT_FALSE(kept->is_activated());
}

TEST_F(Lifecycle, a_node_has_the_functions_of_a_node)
{
  auto node = std::make_shared<rclcpp_lifecycle::LifecycleNode>("functions");
  EXPECT_EQ(5, node->declare_parameter("number", 5));
  EXPECT_EQ("text", node->declare_parameter<std::string>("text", "text"));
  auto checked = node->add_on_set_parameters_callback(
    [](const std::vector<rclcpp::Parameter> &) {
      rcl_interfaces::msg::SetParametersResult result;
      result.successful = false;
      return result;
    });
  EXPECT_FALSE(node->set_parameter(rclcpp::Parameter("number", 6)).successful);
  int ticks = 0;
  auto timer = node->create_wall_timer(1ms, [&] {++ticks;});
  auto other = node->create_timer(1ms, [&] {++ticks;});
  auto service = node->create_service<lifecycle_msgs::srv::GetState>("service", [](auto, auto) {});
  auto client = node->create_client<lifecycle_msgs::srv::GetState>("service");
  EXPECT_TRUE(client->wait_for_service(10s));
  rclcpp::executors::SingleThreadedExecutor executor;
  executor.add_node(node->get_node_base_interface());
  EXPECT_TRUE(spin_until(executor, [&] {return ticks > 2;}));
  EXPECT_GT(node->now().nanoseconds(), 0);
}

TEST(States, have_numbers_and_labels)
{
  rclcpp_lifecycle::State state(1, "my_state");
  EXPECT_EQ(1, state.id());
  EXPECT_EQ("my_state", state.label());
  EXPECT_EQ("unknown", rclcpp_lifecycle::State().label());
  EXPECT_THROW(rclcpp_lifecycle::State(1, ""), std::runtime_error);
  const rcl_lifecycle_state_t * none = nullptr;
  EXPECT_THROW(rclcpp_lifecycle::State{none}, std::runtime_error);
  rcl_lifecycle_state_t start = rcl_lifecycle_get_zero_initialized_state();
  start.id = 3;
  start.label = "start";
  rcl_lifecycle_transition_t handle = rcl_lifecycle_get_zero_initialized_transition();
  handle.id = 7;
  handle.label = "go";
  handle.start = &start;
  rclcpp_lifecycle::Transition transition(&handle);
  EXPECT_EQ(7, transition.id());
  EXPECT_EQ("start", transition.start_state().label());
  EXPECT_EQ("go", rclcpp_lifecycle::Transition(7, "go").label());
  const rcl_lifecycle_transition_t * no_transition = nullptr;
  EXPECT_THROW(rclcpp_lifecycle::Transition{no_transition}, std::runtime_error);
}
