// The C++ API: actions between nodes of one process.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "example_interfaces/action/fibonacci.hpp"
#include "native_fixture.hpp"

using Fibonacci = example_interfaces::action::Fibonacci;
using Goal = saltus::ServerGoal<Fibonacci>;
using Outcome = saltus::Result<saltus::GoalOutcome<Fibonacci>>;

namespace
{

class NativeActions : public Native
{
protected:
  /// Creates a client, and waits for the server.
  saltus::ActionClient<Fibonacci> new_client()
  {
    auto client = saltus::ActionClient<Fibonacci>::create(node, "fibonacci").or_exit();
    client.wait(10s).or_exit();
    return client;
  }

  /// Sends a goal.
  saltus::SentGoal send(
    const saltus::ActionClient<Fibonacci> & client, int order,
    saltus::ActionClient<Fibonacci>::OnFeedback on_feedback = nullptr)
  {
    Fibonacci::Goal goal;
    goal.order = order;
    return client.send_goal(goal, [this](const Outcome & ended) {outcome = ended;}, std::move(on_feedback)).or_exit();
  }

  /// Requests to cancel a goal. Returns the answer.
  saltus::CancelAnswer cancel(const saltus::ActionClient<Fibonacci> & client, const saltus::SentGoal & goal)
  {
    std::optional<saltus::Result<saltus::CancelAnswer>> answer;
    client.cancel(goal, [&](const auto & given) {answer = given;}).or_exit();
    EXPECT_TRUE(spin_until([&] {return answer.has_value();}));
    return std::move(*answer).or_exit();
  }

  std::optional<Outcome> outcome;
};

Fibonacci::Result numbers(int count)
{
  Fibonacci::Result result;
  for (int i = 0; i < count; ++i) {
    result.sequence.push_back(i);
  }
  return result;
}

}  // namespace

TEST_F(NativeActions, a_goal_succeeds_after_its_feedback)
{
  auto server = saltus::ActionServer<Fibonacci>::create(
    node, "fibonacci", [](Goal goal) {
      for (int i = 1; i <= goal.goal().order; ++i) {
        Fibonacci::Feedback feedback;
        feedback.sequence = numbers(i).sequence;
        goal.publish_feedback(feedback).or_exit();
      }
      goal.succeed(numbers(goal.goal().order)).or_exit();
      EXPECT_FALSE(goal.succeed(numbers(0)));
    }).or_exit();
  const auto client = new_client();
  std::vector<size_t> feedback;
  send(
    client, 3, [&](const Fibonacci::Feedback & message) {
      EXPECT_FALSE(outcome);
      feedback.push_back(message.sequence.size());
    });
  ASSERT_TRUE(spin_until([&] {return outcome.has_value();}));
  ASSERT_TRUE(*outcome) << outcome->failure().text();
  EXPECT_EQ(saltus::GoalEnd::succeeded, (*outcome)->end);
  EXPECT_EQ((std::vector<int32_t>{0, 1, 2}), (*outcome)->result.sequence);
  EXPECT_EQ((std::vector<size_t>{1, 2, 3}), feedback);
  EXPECT_EQ(0u, server.goal_count());
}

TEST_F(NativeActions, goals_are_rejected_canceled_and_aborted)
{
  std::vector<Goal> kept;
  saltus::ActionServerOptions<Fibonacci> options;
  options.on_goal = [](const Fibonacci::Goal & goal) {
      return goal.order < 0 ? saltus::GoalResponse::reject : saltus::GoalResponse::accept;
    };
  options.on_cancel = [](const Fibonacci::Goal & goal) {return goal.order == 2;};
  auto server = saltus::ActionServer<Fibonacci>::create(
    node, "fibonacci", [&](Goal goal) {kept.push_back(std::move(goal));}, options).or_exit();
  const auto client = new_client();
  const auto ended = [&] {return spin_until([&] {return outcome.has_value();}) && *outcome;};

  send(client, -1);
  ASSERT_TRUE(ended());
  EXPECT_EQ(saltus::GoalEnd::rejected, (*outcome)->end);

  outcome.reset();
  const auto refused = send(client, 1);
  ASSERT_TRUE(spin_until([&] {return kept.size() == 1;}));
  EXPECT_EQ(saltus::CancelAnswer::rejected, cancel(client, refused));
  EXPECT_FALSE(kept.front().is_canceling());
  EXPECT_FALSE(kept.front().canceled(numbers(1)));
  kept.front().abort(numbers(1)).or_exit();
  ASSERT_TRUE(ended());
  EXPECT_EQ(saltus::GoalEnd::aborted, (*outcome)->end);
  EXPECT_EQ(saltus::CancelAnswer::goal_terminated, cancel(client, refused));

  outcome.reset();
  const auto canceled = send(client, 2);
  ASSERT_TRUE(spin_until([&] {return kept.size() == 2;}));
  EXPECT_EQ(saltus::CancelAnswer::accepted, cancel(client, canceled));
  EXPECT_TRUE(kept.back().is_canceling());
  kept.back().canceled(numbers(2)).or_exit();
  ASSERT_TRUE(ended());
  EXPECT_EQ(saltus::GoalEnd::canceled, (*outcome)->end);
  EXPECT_EQ(2u, (*outcome)->result.sequence.size());

  outcome.reset();
  send(client, 3);
  ASSERT_TRUE(spin_until([&] {return kept.size() == 3;}));
  kept.clear();
  ASSERT_TRUE(ended());
  EXPECT_EQ(saltus::GoalEnd::aborted, (*outcome)->end) << "a goal that is dropped is aborted";
  EXPECT_TRUE((*outcome)->result.sequence.empty());
}

TEST_F(NativeActions, a_client_learns_that_there_is_no_server)
{
  std::vector<Goal> kept;
  std::optional<saltus::ActionServer<Fibonacci>> server = saltus::ActionServer<Fibonacci>::create(
    node, "fibonacci", [&](Goal goal) {kept.push_back(std::move(goal));}).or_exit();
  const auto client = new_client();
  send(client, 1);
  ASSERT_TRUE(spin_until([&] {return kept.size() == 1;}));
  server.reset();
  ASSERT_TRUE(spin_until([&] {return outcome.has_value();}));
  EXPECT_EQ(SALTUS_SERVER_GONE, outcome->failure().code());
  EXPECT_FALSE(client.send_goal(Fibonacci::Goal(), [](const Outcome &) {}));
}

TEST_F(NativeActions, feedback_that_can_not_be_read_is_logged)
{
  std::vector<Goal> kept;
  auto server = saltus::ActionServer<Fibonacci>::create(
    node, "fibonacci", [&](Goal goal) {kept.push_back(std::move(goal));}).or_exit();
  const auto client = new_client();
  size_t feedbacks = 0;
  const auto goal = send(client, 1, [&](const Fibonacci::Feedback &) {++feedbacks;});
  ASSERT_TRUE(spin_until([&] {return kept.size() == 1;}));

  // The feedback has an id, and says that it has more numbers than there are.
  std::vector<uint8_t> bytes(24);
  bytes[1] = 1;
  std::copy_n(goal.id().bytes, sizeof goal.id().bytes, &bytes[4]);
  bytes[20] = 9;
  const saltus_type_t type = saltus::detail::type_of(saltus::detail::support<Fibonacci::Impl::FeedbackMessage>());
  saltus_endpoint_options_t options;
  saltus_endpoint_options_init(&options, sizeof options);
  options.topic = "fibonacci/_action/feedback";
  options.type = &type;
  saltus_publisher_t * publisher = nullptr;
  ASSERT_EQ(SALTUS_OK, saltus_publisher_create(node.get(), &options, &publisher));
  testing::internal::CaptureStderr();
  ASSERT_EQ(SALTUS_OK, saltus_publish(publisher, bytes.data(), bytes.size()));
  kept.front().succeed(numbers(1)).or_exit();
  const bool has_ended = spin_until([&] {return outcome.has_value();});
  const std::string logged = testing::internal::GetCapturedStderr();
  saltus_publisher_destroy(publisher);
  EXPECT_TRUE(has_ended);
  EXPECT_EQ(0u, feedbacks);
  EXPECT_NE(std::string::npos, logged.find("example_interfaces/action/Fibonacci_FeedbackMessage is dropped")) << logged;
}
