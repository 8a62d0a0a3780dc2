// Clients and servers of actions.
#include "common.hpp"

#include "example_interfaces/action/fibonacci.hpp"

namespace
{

using Fibonacci = example_interfaces::action::Fibonacci;
using ServerGoal = rclcpp_action::ServerGoalHandle<Fibonacci>;
using ClientGoal = rclcpp_action::ClientGoalHandle<Fibonacci>;

/// A server whose goals the test ends.
class Server : public rclcpp::Node
{
public:
  Server()
  : Node("server")
  {
    server_ = rclcpp_action::create_server<Fibonacci>(
      this, "fibonacci", std::bind(&Server::on_goal, this, _1, _2), std::bind(&Server::on_cancel, this, _1),
      std::bind(&Server::on_accepted, this, _1));
  }

  std::shared_ptr<ServerGoal> goal;
  rclcpp_action::CancelResponse cancel_response = rclcpp_action::CancelResponse::ACCEPT;

private:
  rclcpp_action::GoalResponse on_goal(
    const rclcpp_action::GoalUUID &, std::shared_ptr<const Fibonacci::Goal> wanted)
  {
    if (wanted->order < 0) {
      return rclcpp_action::GoalResponse::REJECT;
    }
    return rclcpp_action::GoalResponse::ACCEPT_AND_EXECUTE;
  }
  rclcpp_action::CancelResponse on_cancel(const std::shared_ptr<ServerGoal>) {return cancel_response;}
  void on_accepted(const std::shared_ptr<ServerGoal> accepted) {goal = accepted;}

  rclcpp_action::Server<Fibonacci>::SharedPtr server_;
};

class Actions : public WithNode
{
protected:
  Actions()
  {
    executor.add_node(node);
    executor.add_node(server);
  }

  /// Sends a goal, and waits until the server has it.
  ClientGoal::SharedPtr send(int order)
  {
    EXPECT_TRUE(client->wait_for_action_server(10s));
    Fibonacci::Goal goal;
    goal.order = order;
    auto options = rclcpp_action::Client<Fibonacci>::SendGoalOptions();
    options.goal_response_callback = [this](const ClientGoal::SharedPtr & handle) {accepted = handle != nullptr;};
    options.feedback_callback = [this](ClientGoal::SharedPtr, const std::shared_ptr<const Fibonacci::Feedback> feedback) {
        sequence = feedback->sequence;
      };
    options.result_callback = [this](const ClientGoal::WrappedResult & wrapped) {code = wrapped.code;};
    auto future = client->async_send_goal(goal, options);
    EXPECT_EQ(executor.spin_until_future_complete(future, 10s), rclcpp::FutureReturnCode::SUCCESS);
    auto handle = future.get();
    EXPECT_TRUE(spin_until(executor, [&] {return !handle || server->goal;}));
    return handle;
  }

  std::shared_ptr<Server> server = std::make_shared<Server>();
  rclcpp_action::Client<Fibonacci>::SharedPtr client = rclcpp_action::create_client<Fibonacci>(node, "fibonacci");
  rclcpp::executors::SingleThreadedExecutor executor;
  bool accepted = false;
  std::vector<int> sequence;
  rclcpp_action::ResultCode code = rclcpp_action::ResultCode::UNKNOWN;
};

}  // namespace

TEST_F(Actions, a_goal_succeeds)
{
  EXPECT_TRUE(client->wait_for_action_server(10s));
  EXPECT_TRUE(client->action_server_is_ready());
  auto handle = send(2);
  ASSERT_NE(handle, nullptr);
  EXPECT_TRUE(accepted);
  EXPECT_EQ(server->goal->get_goal()->order, 2);
  const rclcpp_action::GoalUUID id = server->goal->get_goal_id();
  EXPECT_EQ(handle->get_goal_id(), id);
  EXPECT_TRUE(server->goal->is_active());
  EXPECT_TRUE(server->goal->is_executing());
  auto feedback = std::make_shared<Fibonacci::Feedback>();
  feedback->sequence = {0, 1};
  server->goal->publish_feedback(feedback);
  auto result = std::make_shared<Fibonacci::Result>();
  result->sequence = {0, 1, 1};
  auto future = client->async_get_result(handle);
  server->goal->succeed(result);
  ASSERT_EQ(executor.spin_until_future_complete(future, 10s), rclcpp::FutureReturnCode::SUCCESS);
  EXPECT_EQ(future.get().code, rclcpp_action::ResultCode::SUCCEEDED);
  EXPECT_EQ(future.get().result->sequence.size(), 3u);
  EXPECT_TRUE(spin_until(executor, [&] {return sequence.size() == 2;}));
  EXPECT_TRUE(spin_until(executor, [&] {return code == rclcpp_action::ResultCode::SUCCEEDED;}));
  EXPECT_TRUE(spin_until(executor, [&] {
      return handle->get_status() == rclcpp_action::GoalStatus::STATUS_SUCCEEDED;
    }));
}

TEST_F(Actions, a_goal_is_aborted)
{
  auto handle = send(2);
  server->goal->abort(std::make_shared<Fibonacci::Result>());
  EXPECT_TRUE(spin_until(executor, [&] {return code == rclcpp_action::ResultCode::ABORTED;}));
}

TEST_F(Actions, a_goal_is_rejected)
{
  EXPECT_EQ(send(-1), nullptr);
  EXPECT_FALSE(accepted);
}

TEST_F(Actions, a_goal_is_cancelled)
{
  auto handle = send(2);
  auto future = client->async_cancel_goal(handle);
  ASSERT_EQ(executor.spin_until_future_complete(future, 10s), rclcpp::FutureReturnCode::SUCCESS);
  EXPECT_TRUE(spin_until(executor, [&] {return server->goal->is_canceling();}));
  server->goal->canceled(std::make_shared<Fibonacci::Result>());
  EXPECT_TRUE(spin_until(executor, [&] {return code == rclcpp_action::ResultCode::CANCELED;}));
}

TEST_F(Actions, all_goals_are_cancelled_unless_the_server_rejects_it)
{
  server->cancel_response = rclcpp_action::CancelResponse::REJECT;
  auto handle = send(2);
  auto future = client->async_cancel_all_goals();
  ASSERT_EQ(executor.spin_until_future_complete(future, 10s), rclcpp::FutureReturnCode::SUCCESS);
  EXPECT_FALSE(server->goal->is_canceling());
  server->cancel_response = rclcpp_action::CancelResponse::ACCEPT;
  future = client->async_cancel_all_goals();
  ASSERT_EQ(executor.spin_until_future_complete(future, 10s), rclcpp::FutureReturnCode::SUCCESS);
  EXPECT_TRUE(spin_until(executor, [&] {return server->goal->is_canceling();}));
}

TEST_F(Actions, a_server_has_options)
{
  rcl_action_server_options_t options = rcl_action_server_get_default_options();
  EXPECT_GT(options.result_timeout.nanoseconds, 0);
  options.result_timeout.nanoseconds = RCL_S_TO_NS(3);
  auto group = node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
  auto other = rclcpp_action::create_server<Fibonacci>(
    node->get_node_base_interface(), node->get_node_clock_interface(), node->get_node_logging_interface(),
    node->get_node_waitables_interface(), "other",
    [](const rclcpp_action::GoalUUID &, std::shared_ptr<const Fibonacci::Goal>) {
      return rclcpp_action::GoalResponse::REJECT;
    },
    [](std::shared_ptr<ServerGoal>) {return rclcpp_action::CancelResponse::REJECT;},
    [](std::shared_ptr<ServerGoal>) {}, options, group);
  auto client_of_it = rclcpp_action::create_client<Fibonacci>(
    node->get_node_base_interface(), node->get_node_graph_interface(), node->get_node_logging_interface(),
    node->get_node_waitables_interface(), "other", group);
  EXPECT_TRUE(client_of_it->wait_for_action_server(10s));
}
