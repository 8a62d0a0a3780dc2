// The C++ API: parameters and lifecycles.
#include <optional>
#include <string>
#include <vector>

#include "example_interfaces/srv/add_two_ints.hpp"
#include "lifecycle_msgs/msg/state.hpp"
#include "lifecycle_msgs/msg/transition.hpp"
#include "native_fixture.hpp"

namespace
{

template<typename T>
void is_kept(const saltus::Node & node, const std::string & name, const T & first, const T & second)
{
  const auto value = [&] {return saltus::get_parameter<T>(node, name);};
  EXPECT_EQ(first, saltus::declare_parameter<T>(node, name, first).or_exit());
  EXPECT_EQ(first, value().or_exit());
  saltus::set_parameter<T>(node, name, second).or_exit();
  EXPECT_EQ(second, value().or_exit());
}

}  // namespace

TEST_F(Native, parameters_of_each_type_are_declared_and_set)
{
  is_kept<bool>(node, "flag", true, false);
  is_kept<int64_t>(node, "count", 3, -4);
  is_kept<double>(node, "rate", 2.5, 1e300);
  is_kept<std::string>(node, "text", "first", "");
  is_kept<std::vector<uint8_t>>(node, "bytes", {1, 2}, {});
  is_kept<std::vector<bool>>(node, "flags", {true, false}, {false});
  is_kept<std::vector<int64_t>>(node, "counts", {1, 2}, {});
  is_kept<std::vector<double>>(node, "rates", {0.5}, {1.5, 2.5});
  is_kept<std::vector<std::string>>(node, "texts", {"a", "b"}, {""});
}

TEST_F(Native, a_parameter_is_refused_for_a_reason)
{
  saltus::declare_parameter<int64_t>(node, "count", 3).or_exit();
  const auto wrong = saltus::get_parameter<double>(node, "count");
  EXPECT_EQ("expected a parameter of the type double, found integer", wrong.failure().text());
  EXPECT_FALSE(saltus::set_parameter<double>(node, "count", 1.0));
  EXPECT_FALSE(saltus::get_parameter<int64_t>(node, "missing"));
  saltus::ParameterDescriptor fixed;
  fixed.is_read_only = true;
  saltus::declare_parameter<bool>(node, "fixed", true, fixed).or_exit();
  EXPECT_FALSE(saltus::set_parameter(node, "fixed", false));
  saltus::ParameterDescriptor limited;
  limited.integer_range = saltus::IntegerRange{0, 10, 5};
  saltus::declare_parameter<int64_t>(node, "limited", 5, limited).or_exit();
  EXPECT_TRUE(saltus::set_parameter<int64_t>(node, "limited", 10));
  EXPECT_FALSE(saltus::set_parameter<int64_t>(node, "limited", 7));
  saltus::ParameterDescriptor slow;
  slow.real_range = saltus::RealRange{0, 0.5};
  EXPECT_FALSE(saltus::declare_parameter<double>(node, "speed", 1.0, slow));

  std::optional<saltus::ParameterCallback> callback = saltus::ParameterCallback::create(
    node, [](const saltus::ParameterChange & change) {
      const auto count = change.value<int64_t>();
      return std::string(change.name() == "count" && count && *count > 5 ? "the count is too large" : "");
    }).or_exit();
  saltus::set_parameter<int64_t>(node, "count", 5).or_exit();
  const auto refused = saltus::set_parameter<int64_t>(node, "count", 6);
  EXPECT_NE(std::string::npos, refused.text().find("the count is too large")) << refused.text();
  callback.reset();
  saltus::set_parameter<int64_t>(node, "count", 6).or_exit();
}

TEST_F(Native, a_callback_waits_for_one_of_another_group)
{
  using AddTwoInts = example_interfaces::srv::AddTwoInts;
  auto executor_of_two = saltus::Executor::create(context, 2).or_exit();
  executor.remove_node(node).or_exit();
  executor_of_two.add_node(node).or_exit();
  const auto group = node.group(saltus::GroupKind::exclusive).or_exit();
  const auto add = [](const AddTwoInts::Request & request) {
      AddTwoInts::Response response;
      response.sum = request.a + request.b;
      return response;
    };
  const auto server = saltus::Server<AddTwoInts>::create(node, "add", add, group).or_exit();
  const auto client = saltus::Client<AddTwoInts>::create(node, "add").or_exit();
  client.wait(10s).or_exit();
  int64_t sum = 0;
  const auto timer = node.timer(
    1ms, [&] {
      AddTwoInts::Request request;
      request.a = 2;
      request.b = 3;
      sum = client.call(request, 10s).or_exit().sum;
      executor_of_two.cancel();
    }).or_exit();
  executor_of_two.spin().or_exit();
  EXPECT_EQ(5, sum);
}

TEST_F(Native, a_lifecycle_calls_the_callbacks_of_its_transitions)
{
  using saltus::CallbackReturn;
  using saltus::LifecycleState;
  using saltus::Transition;
  std::vector<std::string> called;
  CallbackReturn activation = CallbackReturn::failure;
  saltus::LifecycleCallbacks callbacks;
  callbacks.on_configure = [&](LifecycleState) {
      called.push_back("configure");
      return CallbackReturn::success;
    };
  callbacks.on_activate = [&](LifecycleState) {
      called.push_back("activate");
      return activation;
    };
  callbacks.on_error = [&](LifecycleState previous) {
      called.push_back(std::string("error:") + saltus::label(previous));
      return CallbackReturn::success;
    };
  const auto lifecycle = saltus::Lifecycle::create(node, std::move(callbacks)).or_exit();
  EXPECT_EQ(LifecycleState::unconfigured, lifecycle.state());
  EXPECT_FALSE(lifecycle.change_state(Transition::activate));
  EXPECT_EQ(CallbackReturn::success, lifecycle.change_state(Transition::configure).or_exit());
  EXPECT_EQ(CallbackReturn::failure, lifecycle.change_state(Transition::activate).or_exit());
  EXPECT_EQ(LifecycleState::inactive, lifecycle.state());
  activation = CallbackReturn::success;
  lifecycle.change_state(Transition::activate).or_exit();
  EXPECT_EQ(LifecycleState::active, lifecycle.state());
  lifecycle.change_state(Transition::deactivate).or_exit();
  activation = CallbackReturn::error;
  lifecycle.change_state(Transition::activate).failure().or_exit();
  EXPECT_EQ(LifecycleState::unconfigured, lifecycle.state());
  lifecycle.change_state(Transition::unconfigured_shutdown).or_exit();
  EXPECT_EQ(LifecycleState::finalized, lifecycle.state());
  EXPECT_EQ((std::vector<std::string>{"configure", "activate", "activate", "activate", "error:inactive"}), called);
}

TEST(NativeLifecycle, states_and_transitions_have_the_numbers_of_their_messages)
{
  using lifecycle_msgs::msg::State;
  using lifecycle_msgs::msg::Transition;
  const auto number = [](auto value) {return static_cast<uint8_t>(value);};
  EXPECT_EQ(State::PRIMARY_STATE_UNCONFIGURED, number(saltus::LifecycleState::unconfigured));
  EXPECT_EQ(State::PRIMARY_STATE_INACTIVE, number(saltus::LifecycleState::inactive));
  EXPECT_EQ(State::PRIMARY_STATE_ACTIVE, number(saltus::LifecycleState::active));
  EXPECT_EQ(State::PRIMARY_STATE_FINALIZED, number(saltus::LifecycleState::finalized));
  EXPECT_EQ(Transition::TRANSITION_CONFIGURE, number(saltus::Transition::configure));
  EXPECT_EQ(Transition::TRANSITION_CLEANUP, number(saltus::Transition::cleanup));
  EXPECT_EQ(Transition::TRANSITION_ACTIVATE, number(saltus::Transition::activate));
  EXPECT_EQ(Transition::TRANSITION_DEACTIVATE, number(saltus::Transition::deactivate));
  EXPECT_EQ(Transition::TRANSITION_UNCONFIGURED_SHUTDOWN, number(saltus::Transition::unconfigured_shutdown));
  EXPECT_EQ(Transition::TRANSITION_INACTIVE_SHUTDOWN, number(saltus::Transition::inactive_shutdown));
  EXPECT_EQ(Transition::TRANSITION_ACTIVE_SHUTDOWN, number(saltus::Transition::active_shutdown));
}
