// Changes of the graph as events.
#include <thread>

#include "fixture.hpp"

namespace
{

using String = std_msgs::msg::String;

class Graph : public WithContext
{
protected:
  /// Waits for a change. Returns how long it took.
  std::chrono::steady_clock::duration wait(const rclcpp::Event::SharedPtr & event, std::chrono::nanoseconds timeout)
  {
    const auto start = std::chrono::steady_clock::now();
    node_->wait_for_graph_change(event, timeout);
    return std::chrono::steady_clock::now() - start;
  }

  rclcpp::Node::SharedPtr node_ = new_node();
};

}  // namespace

TEST_F(Graph, a_change_before_the_wait_ends_it)
{
  auto event = node_->get_graph_event();
  auto publisher = node_->create_publisher<String>("words", 10);
  EXPECT_LT(wait(event, 10s), 500ms);
  EXPECT_TRUE(event->check_and_clear());
  publisher.reset();
  EXPECT_LT(wait(event, 10s), 500ms);
  EXPECT_TRUE(event->check_and_clear());
}

TEST_F(Graph, a_change_of_another_thread_ends_a_wait)
{
  auto event = node_->get_graph_event();
  rclcpp::Node::SharedPtr other;
  std::thread thread([&] {
      std::this_thread::sleep_for(20ms);
      other = std::make_shared<rclcpp::Node>("other");
    });
  EXPECT_LT(wait(event, 10s), 5s);
  thread.join();
  EXPECT_TRUE(event->check());
}

TEST_F(Graph, a_wait_without_a_change_takes_its_time)
{
  auto event = node_->get_graph_event();
  auto other_event = node_->get_graph_event();
  // A wait looks at the graph each second, too.
  EXPECT_GE(wait(event, 1200ms), 1200ms);
  EXPECT_FALSE(event->check());
  auto publisher = node_->create_publisher<String>("words", 10);
  EXPECT_LT(wait(event, 10s), 500ms);
  EXPECT_FALSE(other_event->check());
  EXPECT_LT(wait(other_event, 10s), 500ms) << "each event has its changes";
}

TEST_F(Graph, only_events_of_the_node_are_waited_for)
{
  EXPECT_THROW(node_->wait_for_graph_change(nullptr, 1s), rclcpp::exceptions::InvalidEventError);
  EXPECT_THROW(
    node_->wait_for_graph_change(std::make_shared<rclcpp::Event>(), 1s), rclcpp::exceptions::EventNotRegisteredError);
}
