#include "tf2_ros/buffer.h"

#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "fixture.hpp"
#include "rosgraph_msgs/msg/clock.hpp"
#include "tf2_msgs/srv/frame_graph.hpp"

namespace
{

class Buffer : public NodeTest
{
protected:
  void SetUp() override
  {
    NodeTest::SetUp();
    buffer.emplace(node->get_clock());
  }

  void TearDown() override
  {
    buffer.reset();
    NodeTest::TearDown();
  }

  bool set(const std::string & parent, const std::string & child, double x, const rclcpp::Time & stamp)
  {
    return buffer->setTransform(translated(parent, child, x, stamp), "test");
  }

  /// Returns how long a call takes.
  template<typename Call>
  static std::chrono::nanoseconds timed(Call && call)
  {
    const auto start = std::chrono::steady_clock::now();
    call();
    return std::chrono::steady_clock::now() - start;
  }

  const rclcpp::Time one{1, 0, RCL_ROS_TIME};
  std::optional<tf2_ros::Buffer> buffer;
};

TEST_F(Buffer, needs_a_clock)
{
  EXPECT_THROW(tf2_ros::Buffer(nullptr), std::invalid_argument);
}

TEST_F(Buffer, takes_a_node_in_each_form)
{
  const auto clock = node->get_clock();
  tf2_ros::Buffer by_pointer(clock, 10s, node);
  tf2_ros::Buffer by_raw_pointer(clock, 10s, node.get());
  tf2_ros::Buffer by_reference(clock, 10s, *node, rclcpp::ServicesQoS());
  tf2_ros::Buffer without(clock, 5s, rclcpp::Node::SharedPtr());
  EXPECT_EQ(5s, without.getCacheLength());
}

TEST_F(Buffer, times_of_rclcpp_and_of_tf2)
{
  set("map", "base", 4.0, one);
  const tf2::TimePoint same(1s);
  EXPECT_EQ(4.0, buffer->lookupTransform("map", "base", one).transform.translation.x);
  EXPECT_EQ(4.0, buffer->lookupTransform("map", "base", same).transform.translation.x);
  EXPECT_EQ(4.0, buffer->lookupTransform("map", "base", tf2::TimePointZero).transform.translation.x);
  EXPECT_EQ(0.0, buffer->lookupTransform("base", one, "base", one, "map").transform.translation.x);
  EXPECT_EQ(0.0, buffer->lookupTransform("base", same, "base", same, "map").transform.translation.x);
  EXPECT_TRUE(buffer->canTransform("map", "base", one));
  EXPECT_TRUE(buffer->canTransform("map", "base", same));
  EXPECT_TRUE(buffer->canTransform("base", one, "base", one, "map"));
  EXPECT_TRUE(buffer->canTransform("base", same, "base", same, "map"));
}

TEST_F(Buffer, a_timeout_needs_a_dedicated_thread)
{
  set("map", "base", 4.0, one);
  std::string text;
  EXPECT_FALSE(buffer->canTransform("map", "base", one, rclcpp::Duration(1s), &text));
  EXPECT_EQ(tf2_ros::threading_error, text);
  EXPECT_FALSE(buffer->canTransform("base", one, "base", one, "map", rclcpp::Duration(1s)));
  // The lookup itself does not wait, but finds what is there.
  EXPECT_EQ(4.0, buffer->lookupTransform("map", "base", one, rclcpp::Duration(1s)).transform.translation.x);
  EXPECT_THROW(buffer->lookupTransform("map", "moon", one, rclcpp::Duration(60s)), tf2::LookupException);
}

TEST_F(Buffer, a_timeout_ends_a_lookup)
{
  buffer->setUsingDedicatedThread(true);
  std::string text;
  const auto time = timed([&] {
        EXPECT_FALSE(buffer->canTransform("map", "base", one, rclcpp::Duration(50ms), &text));
      });
  EXPECT_GE(time, 50ms);
  EXPECT_LT(time, 5s);
  EXPECT_EQ(0u, text.find("Invalid frame ID \"map\" passed to canTransform argument target_frame - frame does not exist"));
  EXPECT_NE(std::string::npos, text.find(". canTransform returned after ")) << text;
  EXPECT_NE(std::string::npos, text.find(" timeout was 0.05.")) << text;
  EXPECT_THROW(buffer->lookupTransform("map", "base", one, rclcpp::Duration(10ms)), tf2::LookupException);
}

// geometry2 polls each 10 ms.
TEST_F(Buffer, a_transform_wakes_a_lookup_at_once)
{
  buffer->setUsingDedicatedThread(true);
  std::chrono::nanoseconds shortest = 1h;
  for (int turn = 1; turn <= 10; ++turn) {
    const rclcpp::Time stamp(turn, 0, RCL_ROS_TIME);
    std::chrono::steady_clock::time_point sent;
    std::thread sender([&] {
        std::this_thread::sleep_for(20ms);
        sent = std::chrono::steady_clock::now();
        set("map", "base", turn, stamp);
      });
    EXPECT_EQ(turn, buffer->lookupTransform("map", "base", stamp, rclcpp::Duration(10s)).transform.translation.x);
    const auto woken = std::chrono::steady_clock::now();
    sender.join();
    shortest = std::min<std::chrono::nanoseconds>(shortest, woken - sent);
  }
  EXPECT_LT(shortest, 2ms);
}

TEST_F(Buffer, a_lookup_between_times_waits_for_both)
{
  buffer->setUsingDedicatedThread(true);
  const rclcpp::Time two(2, 0, RCL_ROS_TIME);
  std::thread sender([&] {
      for (int second = 1; second <= 2; ++second) {
        std::this_thread::sleep_for(30ms);
        set("map", "base", second, rclcpp::Time(second, 0, RCL_ROS_TIME));
      }
    });
  EXPECT_EQ(
    -1.0, buffer->lookupTransform("base", two, "base", one, "map", rclcpp::Duration(10s)).transform.translation.x);
  sender.join();
}

TEST_F(Buffer, a_lookup_that_can_never_succeed_does_not_wait)
{
  buffer->setUsingDedicatedThread(true);
  set("map", "base", 1.0, rclcpp::Time(100, 0, RCL_ROS_TIME));
  set("map", "base", 1.0, rclcpp::Time(101, 0, RCL_ROS_TIME));
  const auto time = timed([&] {
        EXPECT_THROW(
          buffer->lookupTransform("map", "base", one, rclcpp::Duration(60s)), tf2::BackwardExtrapolationException);
        EXPECT_THROW(
          buffer->lookupTransform("/map", "base", one, rclcpp::Duration(60s)), tf2::InvalidArgumentException);
      });
  EXPECT_LT(time, 10s);
}

TEST_F(Buffer, shutdown_ends_a_lookup)
{
  buffer->setUsingDedicatedThread(true);
  std::thread stopper([] {
      std::this_thread::sleep_for(30ms);
      rclcpp::shutdown();
    });
  const auto time = timed([&] {EXPECT_FALSE(buffer->canTransform("map", "base", one, rclcpp::Duration(60s)));});
  stopper.join();
  EXPECT_LT(time, 10s);
}

TEST_F(Buffer, the_service_has_the_frames)
{
  tf2_ros::Buffer served(node->get_clock(), 10s, node);
  served.setTransform(translated("map", "base", 1.0, one), "test");
  const auto client = node->create_client<tf2_msgs::srv::FrameGraph>("tf2_frames");
  const Spinner spinner(node);
  ASSERT_TRUE(client->wait_for_service(10s));
  auto response = client->async_send_request(std::make_shared<tf2_msgs::srv::FrameGraph::Request>());
  ASSERT_EQ(std::future_status::ready, response.wait_for(10s));
  EXPECT_EQ(served.allFramesAsYAML(), response.get()->frame_yaml);
}

/// A node with simulated time.
class SimulatedBuffer : public NodeTest
{
protected:
  void SetUp() override
  {
    NodeTest::SetUp();
    rclcpp::NodeOptions options;
    options.parameter_overrides({{"use_sim_time", true}});
    simulated = std::make_shared<rclcpp::Node>("simulated", options);
    publisher = node->create_publisher<rosgraph_msgs::msg::Clock>("/clock", rclcpp::ClockQoS());
    spinner.emplace(simulated);
    publish(100);
    ASSERT_TRUE(eventually([this] {publish(100); return simulated->now().seconds() == 100;}));
    buffer.emplace(simulated->get_clock());
    buffer->setUsingDedicatedThread(true);
  }

  void TearDown() override
  {
    buffer.reset();
    spinner.reset();
    publisher.reset();
    simulated.reset();
    NodeTest::TearDown();
  }

  void publish(int second)
  {
    rosgraph_msgs::msg::Clock message;
    message.clock.sec = second;
    publisher->publish(message);
  }

  rclcpp::Node::SharedPtr simulated;
  rclcpp::Publisher<rosgraph_msgs::msg::Clock>::SharedPtr publisher;
  std::optional<Spinner> spinner;
  std::optional<tf2_ros::Buffer> buffer;
};

TEST_F(SimulatedBuffer, a_timeout_is_simulated)
{
  const auto answer = std::async(std::launch::async, [this] {
        return buffer->canTransform("map", "base", tf2::TimePointZero, 10s);
      });
  EXPECT_EQ(std::future_status::timeout, answer.wait_for(50ms));
  EXPECT_TRUE(eventually([&] {publish(120); return answer.wait_for(1ms) == std::future_status::ready;}));
}

TEST_F(SimulatedBuffer, a_jump_back_clears_the_buffer_and_ends_a_wait)
{
  buffer->setTransform(translated("map", "base", 1.0, simulated->now()), "test");
  EXPECT_TRUE(buffer->canTransform("map", "base", tf2::TimePointZero));
  const auto answer = std::async(std::launch::async, [this] {
        return buffer->canTransform("map", "moon", tf2::TimePointZero, 10s);
      });
  EXPECT_EQ(std::future_status::timeout, answer.wait_for(50ms));
  EXPECT_TRUE(eventually([&] {publish(90); return answer.wait_for(1ms) == std::future_status::ready;}));
  EXPECT_TRUE(eventually([&] {return !buffer->canTransform("map", "base", tf2::TimePointZero);}));
}

TEST(BufferInterface, times_and_durations_as_messages)
{
  const auto early = tf2_ros::toMsg(tf2::TimePoint(-1500ms));
  EXPECT_EQ(-2, early.sec);
  EXPECT_EQ(500000000u, early.nanosec);
  EXPECT_EQ(tf2::TimePoint(-1500ms), tf2_ros::fromMsg(early));
  EXPECT_EQ(2500ms, tf2_ros::fromMsg(tf2_ros::toMsg(tf2::Duration(2500ms))));
  EXPECT_EQ(-1.5, tf2_ros::timeToSec(early));
  EXPECT_EQ(3, tf2_ros::toRclcpp(tf2::TimePoint(3s)).seconds());
  EXPECT_EQ(tf2::TimePoint(3s), tf2_ros::fromRclcpp(rclcpp::Time(3, 0)));
  EXPECT_EQ(3s, tf2_ros::fromRclcpp(tf2_ros::toRclcpp(tf2::Duration(3s))));
}

}  // namespace
