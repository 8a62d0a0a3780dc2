// Goals, feedback, results and cancellation between a client and a server.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "example_interfaces/action/fibonacci.hpp"
#include "rclcpp/rclcpp.hpp"
#include "rclcpp_action/rclcpp_action.hpp"

using namespace std::chrono_literals;  // NOLINT
using Fibonacci = example_interfaces::action::Fibonacci;
using Client = rclcpp_action::Client<Fibonacci>;
using Server = rclcpp_action::Server<Fibonacci>;
using ServerGoal = rclcpp_action::ServerGoalHandle<Fibonacci>;
using ClientGoal = rclcpp_action::ClientGoalHandle<Fibonacci>;
using rclcpp_action::CancelResponse;
using rclcpp_action::GoalResponse;
using rclcpp_action::ResultCode;

class Actions : public ::testing::Test
{
protected:
  Actions()
  {
    rclcpp::init(0, nullptr);
    node_ = std::make_shared<rclcpp::Node>(::testing::UnitTest::GetInstance()->current_test_info()->name());
    executor_ = std::make_unique<rclcpp::executors::SingleThreadedExecutor>();
    executor_->add_node(node_);
  }
  ~Actions() override {rclcpp::shutdown();}

  /// Opens a server that keeps the handles of its goals, and a client that sees it.
  void open(
    GoalResponse on_goal = GoalResponse::ACCEPT_AND_EXECUTE, CancelResponse on_cancel = CancelResponse::ACCEPT)
  {
    server_ = rclcpp_action::create_server<Fibonacci>(
      node_, "fibonacci",
      [this, on_goal](const rclcpp_action::GoalUUID & id, std::shared_ptr<const Fibonacci::Goal> goal) {
        asked_ = id;
        order_ = goal->order;
        return on_goal;
      },
      [on_cancel](std::shared_ptr<ServerGoal>) {return on_cancel;},
      [this](std::shared_ptr<ServerGoal> goal) {goals_.push_back(goal);});
    client_ = rclcpp_action::create_client<Fibonacci>(node_, "fibonacci");
    ASSERT_TRUE(client_->wait_for_action_server(10s));
  }

  template<typename Condition>
  bool spin_until(Condition condition)
  {
    const auto end = std::chrono::steady_clock::now() + 10s;
    while (!condition() && std::chrono::steady_clock::now() < end) {
      executor_->spin_once(50ms);
    }
    return condition();
  }

  template<typename Future>
  auto value_of(Future future)
  {
    EXPECT_EQ(rclcpp::FutureReturnCode::SUCCESS, executor_->spin_until_future_complete(future, 10s));
    return future.get();
  }

  static Fibonacci::Goal goal(int order)
  {
    Fibonacci::Goal goal;
    goal.order = order;
    return goal;
  }

  static Fibonacci::Result::SharedPtr result(std::vector<int32_t> sequence)
  {
    auto result = std::make_shared<Fibonacci::Result>();
    result->sequence = std::move(sequence);
    return result;
  }

  rclcpp::Node::SharedPtr node_;
  std::unique_ptr<rclcpp::executors::SingleThreadedExecutor> executor_;
  Server::SharedPtr server_;
  Client::SharedPtr client_;
  rclcpp_action::GoalUUID asked_{};
  int order_ = 0;
  std::vector<std::shared_ptr<ServerGoal>> goals_;
};

TEST_F(Actions, a_goal_is_accepted_gives_feedback_and_succeeds)
{
  open();
  std::vector<size_t> feedback;
  ClientGoal::SharedPtr accepted;
  Client::WrappedResult ended{};
  Client::SendGoalOptions options;
  options.goal_response_callback = [&](ClientGoal::SharedPtr goal) {accepted = goal;};
  options.feedback_callback = [&](ClientGoal::SharedPtr goal, const std::shared_ptr<const Fibonacci::Feedback> message) {
      EXPECT_EQ(accepted, goal);
      feedback.push_back(message->sequence.size());
    };
  options.result_callback = [&](const Client::WrappedResult & wrapped) {ended = wrapped;};
  const auto handle = value_of(client_->async_send_goal(goal(5), options));
  ASSERT_NE(nullptr, handle);
  EXPECT_EQ(handle, accepted);
  EXPECT_EQ(5, order_);
  EXPECT_EQ(asked_, handle->get_goal_id());
  EXPECT_TRUE(handle->is_feedback_aware());
  EXPECT_TRUE(handle->is_result_aware());
  EXPECT_GT(handle->get_goal_stamp().nanoseconds(), 0);
  ASSERT_TRUE(spin_until([&] {return goals_.size() == 1;}));
  EXPECT_TRUE(goals_[0]->is_active());
  EXPECT_TRUE(goals_[0]->is_executing());
  EXPECT_EQ(5, goals_[0]->get_goal()->order);
  ASSERT_TRUE(spin_until([&] {return handle->get_status() == rclcpp_action::GoalStatus::STATUS_EXECUTING;}));
  for (int count = 1; count <= 3; ++count) {
    auto message = std::make_shared<Fibonacci::Feedback>();
    message->sequence.assign(static_cast<size_t>(count), 1);
    goals_[0]->publish_feedback(message);
  }
  goals_[0]->succeed(result({0, 1, 1, 2, 3}));
  EXPECT_FALSE(goals_[0]->is_active());
  ASSERT_TRUE(spin_until([&] {return ended.result != nullptr;}));
  EXPECT_EQ((std::vector<size_t>{1, 2, 3}), feedback) << "feedback comes before the result";
  EXPECT_EQ(ResultCode::SUCCEEDED, ended.code);
  EXPECT_EQ(handle->get_goal_id(), ended.goal_id);
  EXPECT_EQ((std::vector<int32_t>{0, 1, 1, 2, 3}), ended.result->sequence);
  EXPECT_EQ(rclcpp_action::GoalStatus::STATUS_SUCCEEDED, handle->get_status());
  EXPECT_THROW(goals_[0]->succeed(result({})), rclcpp::exceptions::RCLError);
  EXPECT_THROW(goals_[0]->publish_feedback(std::make_shared<Fibonacci::Feedback>()), rclcpp::exceptions::RCLError);
  EXPECT_THROW(client_->async_get_result(handle), rclcpp_action::exceptions::UnknownGoalHandleError);
}

TEST_F(Actions, a_rejected_goal_has_no_handle)
{
  open(GoalResponse::REJECT);
  bool was_called = false;
  Client::SendGoalOptions options;
  options.goal_response_callback = [&](ClientGoal::SharedPtr handle) {was_called = handle == nullptr;};
  EXPECT_EQ(nullptr, value_of(client_->async_send_goal(goal(1), options)));
  EXPECT_TRUE(was_called);
  EXPECT_TRUE(goals_.empty());
}

TEST_F(Actions, a_deferred_goal_is_executed_later)
{
  open(GoalResponse::ACCEPT_AND_DEFER);
  const auto handle = value_of(client_->async_send_goal(goal(1)));
  ASSERT_TRUE(spin_until([&] {return goals_.size() == 1;}));
  EXPECT_FALSE(goals_[0]->is_executing());
  goals_[0]->execute();
  EXPECT_TRUE(goals_[0]->is_executing());
  EXPECT_THROW(goals_[0]->execute(), rclcpp::exceptions::RCLError);
  const auto future = client_->async_get_result(handle);
  goals_[0]->abort(result({7}));
  const auto ended = value_of(future);
  EXPECT_EQ(ResultCode::ABORTED, ended.code);
  EXPECT_EQ((std::vector<int32_t>{7}), ended.result->sequence);
}

TEST_F(Actions, a_goal_is_canceled)
{
  open();
  const auto handle = value_of(client_->async_send_goal(goal(1)));
  ASSERT_TRUE(spin_until([&] {return goals_.size() == 1;}));
  EXPECT_THROW(goals_[0]->canceled(result({})), rclcpp::exceptions::RCLError) << "nobody wants that yet";
  const auto future = client_->async_get_result(handle);
  const auto response = value_of(client_->async_cancel_goal(handle));
  EXPECT_EQ(0, response->return_code);
  ASSERT_EQ(1u, response->goals_canceling.size());
  EXPECT_EQ(handle->get_goal_id(), response->goals_canceling[0].goal_id.uuid);
  EXPECT_TRUE(goals_[0]->is_canceling());
  goals_[0]->canceled(result({1}));
  EXPECT_EQ(ResultCode::CANCELED, value_of(future).code);
  EXPECT_THROW(client_->async_cancel_goal(handle), rclcpp_action::exceptions::UnknownGoalHandleError);
}

TEST_F(Actions, a_server_may_refuse_to_cancel)
{
  open(GoalResponse::ACCEPT_AND_EXECUTE, CancelResponse::REJECT);
  const auto handle = value_of(client_->async_send_goal(goal(1)));
  const auto response = value_of(client_->async_cancel_goal(handle));
  EXPECT_EQ(action_msgs::srv::CancelGoal::Response::ERROR_REJECTED, response->return_code);
  EXPECT_FALSE(goals_.at(0)->is_canceling());
}

TEST_F(Actions, all_goals_and_those_before_a_time_are_canceled)
{
  open();
  const auto first = value_of(client_->async_send_goal(goal(1)));
  ASSERT_TRUE(spin_until([&] {return node_->now() > first->get_goal_stamp();}));
  const auto second = value_of(client_->async_send_goal(goal(2)));
  bool was_called = false;
  auto response = value_of(
    client_->async_cancel_goals_before(first->get_goal_stamp(), [&](auto) {was_called = true;}));
  EXPECT_EQ(1u, response->goals_canceling.size());
  EXPECT_TRUE(was_called);
  response = value_of(client_->async_cancel_all_goals());
  EXPECT_EQ(1u, response->goals_canceling.size());
}

TEST_F(Actions, a_goal_whose_handle_is_dropped_is_canceled)
{
  open();
  const auto handle = value_of(client_->async_send_goal(goal(1)));
  const auto future = client_->async_get_result(handle);
  ASSERT_TRUE(spin_until([&] {return goals_.size() == 1;}));
  goals_.clear();
  const auto ended = value_of(future);
  EXPECT_EQ(ResultCode::CANCELED, ended.code);
  EXPECT_TRUE(ended.result->sequence.empty());
}

TEST_F(Actions, the_callbacks_of_a_goal_run_though_its_handle_is_dropped)
{
  open();
  bool has_ended = false;
  Client::SendGoalOptions options;
  options.result_callback = [&](const Client::WrappedResult &) {has_ended = true;};
  client_->async_send_goal(goal(1), options);
  ASSERT_TRUE(spin_until([&] {return goals_.size() == 1;}));
  goals_[0]->succeed(result({}));
  EXPECT_TRUE(spin_until([&] {return has_ended;}));
}

TEST_F(Actions, the_end_of_a_server_is_told)
{
  open();
  const auto handle = value_of(client_->async_send_goal(goal(1)));
  auto future = client_->async_get_result(handle);
  server_.reset();
  EXPECT_EQ(rclcpp::FutureReturnCode::SUCCESS, executor_->spin_until_future_complete(future, 10s));
  EXPECT_THROW(future.get(), rclcpp_action::exceptions::UnawareGoalHandleError);
  EXPECT_THROW(client_->async_get_result(handle), rclcpp_action::exceptions::UnawareGoalHandleError);
  EXPECT_NO_THROW(goals_.at(0)->succeed(result({}))) << "nobody can learn of it any more";
  EXPECT_FALSE(client_->action_server_is_ready());
  EXPECT_FALSE(client_->wait_for_action_server(1ms));
}

TEST_F(Actions, the_end_of_a_client_is_told)
{
  open();
  const auto handle = value_of(client_->async_send_goal(goal(1)));
  auto future = client_->async_get_result(handle);
  client_.reset();
  EXPECT_THROW(future.get(), rclcpp_action::exceptions::UnawareGoalHandleError);
}

TEST_F(Actions, a_client_and_a_server_may_end_in_their_own_callbacks)
{
  server_ = rclcpp_action::create_server<Fibonacci>(
    node_, "fibonacci",
    [](const rclcpp_action::GoalUUID &, std::shared_ptr<const Fibonacci::Goal>) {
      return GoalResponse::ACCEPT_AND_EXECUTE;
    },
    [](std::shared_ptr<ServerGoal>) {return CancelResponse::ACCEPT;},
    [this](std::shared_ptr<ServerGoal>) {server_.reset();});
  client_ = rclcpp_action::create_client<Fibonacci>(node_, "fibonacci");
  ASSERT_TRUE(client_->wait_for_action_server(10s));
  Client::SendGoalOptions options;
  options.goal_response_callback = [this](ClientGoal::SharedPtr) {client_.reset();};
  options.result_callback = [](const Client::WrappedResult &) {};
  client_->async_send_goal(goal(1), options);
  EXPECT_TRUE(spin_until([this] {return server_ == nullptr && client_ == nullptr;}));
}

TEST_F(Actions, callbacks_can_be_stopped)
{
  open();
  int calls = 0;
  Client::SendGoalOptions options;
  options.feedback_callback = [&](auto, auto) {++calls;};
  options.result_callback = [&](const auto &) {++calls;};
  const auto handle = value_of(client_->async_send_goal(goal(1), options));
  client_->stop_callbacks(handle->get_goal_id());
  EXPECT_FALSE(handle->is_feedback_aware());
  const auto future = client_->async_get_result(handle);
  goals_.at(0)->publish_feedback(std::make_shared<Fibonacci::Feedback>());
  goals_.at(0)->succeed(result({}));
  value_of(future);
  EXPECT_EQ(0, calls);
}

TEST_F(Actions, an_exception_in_a_callback_leaves_spin)
{
  server_ = rclcpp_action::create_server<Fibonacci>(
    node_, "fibonacci",
    [](const rclcpp_action::GoalUUID &, std::shared_ptr<const Fibonacci::Goal>) -> GoalResponse {
      throw std::logic_error("on goal");
    },
    [](std::shared_ptr<ServerGoal>) {return CancelResponse::ACCEPT;}, [](std::shared_ptr<ServerGoal>) {});
  client_ = rclcpp_action::create_client<Fibonacci>(node_, "fibonacci");
  ASSERT_TRUE(client_->wait_for_action_server(10s));
  auto future = client_->async_send_goal(goal(1));
  EXPECT_THROW(spin_until([] {return false;}), std::logic_error);
  EXPECT_EQ(rclcpp::FutureReturnCode::SUCCESS, executor_->spin_until_future_complete(future, 10s));
  EXPECT_THROW(future.get(), std::runtime_error) << "the client learns that there is no answer";
}

TEST_F(Actions, a_goal_without_a_server_is_refused_at_once)
{
  client_ = rclcpp_action::create_client<Fibonacci>(node_.get(), "nobody");
  EXPECT_FALSE(client_->action_server_is_ready());
  EXPECT_THROW(client_->async_send_goal(goal(1)), rclcpp::exceptions::RCLError);
  EXPECT_THROW(rclcpp_action::create_client<Fibonacci>(node_, "1nvalid"), rclcpp::exceptions::RCLError);
}

TEST_F(Actions, a_goal_runs_in_a_thread_while_two_threads_spin)
{
  auto group = node_->create_callback_group(rclcpp::CallbackGroupType::Reentrant);
  std::vector<std::thread> workers;
  server_ = rclcpp_action::create_server<Fibonacci>(
    node_, "fibonacci",
    [](const rclcpp_action::GoalUUID &, std::shared_ptr<const Fibonacci::Goal>) {
      return GoalResponse::ACCEPT_AND_EXECUTE;
    },
    [](std::shared_ptr<ServerGoal>) {return CancelResponse::ACCEPT;},
    [&](std::shared_ptr<ServerGoal> goal) {
      workers.emplace_back(
        [goal] {
          for (int32_t step = 0; step < goal->get_goal()->order; ++step) {
            goal->publish_feedback(std::make_shared<Fibonacci::Feedback>());
          }
          goal->succeed(result({goal->get_goal()->order}));
        });
    }, rcl_action_server_get_default_options(), group);
  client_ = rclcpp_action::create_client<Fibonacci>(
    node_->get_node_base_interface(), node_->get_node_graph_interface(), node_->get_node_logging_interface(),
    node_->get_node_waitables_interface(), "fibonacci", group);
  ASSERT_TRUE(client_->wait_for_action_server(10s));
  executor_->remove_node(node_);
  rclcpp::executors::MultiThreadedExecutor threads(rclcpp::ExecutorOptions(), 2);
  threads.add_node(node_);
  std::thread spinner([&] {threads.spin();});
  for (int order = 1; order <= 20; ++order) {
    const auto handle = client_->async_send_goal(goal(order)).get();
    ASSERT_NE(nullptr, handle);
    try {
      EXPECT_EQ(order, client_->async_get_result(handle).get().result->sequence.at(0));
    } catch (const rclcpp_action::exceptions::UnknownGoalHandleError &) {
      ADD_FAILURE() << "the goal was forgotten before its result was requested";
    }
  }
  threads.cancel();
  spinner.join();
  for (std::thread & worker : workers) {
    worker.join();
  }
}

TEST(Types, ids_have_texts_orders_and_hashes)
{
  rclcpp_action::GoalUUID id{};
  id[0] = 0xab;
  id[15] = 1;
  EXPECT_EQ("ab000000000000000000000000000001", rclcpp_action::to_string(id));
  EXPECT_TRUE(std::less<rclcpp_action::GoalUUID>()(rclcpp_action::GoalUUID{}, id));
  EXPECT_NE(std::hash<rclcpp_action::GoalUUID>()(id), std::hash<rclcpp_action::GoalUUID>()({}));
  rcl_action_goal_info_t info = rcl_action_get_zero_initialized_goal_info();
  rclcpp_action::convert(id, &info);
  rclcpp_action::GoalUUID other{};
  rclcpp_action::convert(info, &other);
  EXPECT_EQ(id, other);
  EXPECT_EQ(rclcpp::DurabilityPolicy::TransientLocal, rclcpp_action::DefaultActionStatusQoS().durability());
}
