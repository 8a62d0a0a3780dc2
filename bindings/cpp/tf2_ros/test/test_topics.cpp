// Transforms go from broadcasters over topics into buffers.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "fixture.hpp"
#include "tf2_ros/buffer.h"
#include "tf2_ros/create_timer_ros.h"
#include "tf2_ros/static_transform_broadcaster.h"
#include "tf2_ros/transform_broadcaster.h"
#include "tf2_ros/transform_listener.h"

namespace
{

using tf2::TimePointZero;

class Topics : public NodeTest
{
protected:
  void SetUp() override
  {
    NodeTest::SetUp();
    buffer = std::make_shared<tf2_ros::Buffer>(node->get_clock());
  }

  void TearDown() override
  {
    buffer.reset();
    NodeTest::TearDown();
  }

  geometry_msgs::msg::TransformStamped now(const std::string & parent, const std::string & child, double x)
  {
    return translated(parent, child, x, node->now());
  }

  /// Sends until the buffer has a transform.
  void sendUntilKnown(tf2_ros::TransformBroadcaster & broadcaster, const std::string & child)
  {
    EXPECT_TRUE(
      eventually([&] {
        broadcaster.sendTransform(now("map", child, 1.0));
        return buffer->canTransform("map", child, TimePointZero);
      }));
  }

  std::shared_ptr<tf2_ros::Buffer> buffer;
};

TEST_F(Topics, a_listener_with_a_thread_receives_while_the_caller_waits)
{
  const tf2_ros::TransformListener listener(*buffer, node);
  EXPECT_TRUE(buffer->isUsingDedicatedThread());
  tf2_ros::TransformBroadcaster broadcaster(node);
  ASSERT_TRUE(eventually([this] {return node->count_subscribers("/tf") == 1 && node->count_publishers("/tf") == 1;}));
  const auto sent = now("map", "base", 4.0);
  broadcaster.sendTransform(sent);
  EXPECT_EQ(
    4.0, buffer->lookupTransform("map", "base", sent.header.stamp, rclcpp::Duration(10s)).transform.translation.x);
}

TEST_F(Topics, a_listener_with_its_own_node)
{
  const tf2_ros::TransformListener listener(*buffer);
  ASSERT_TRUE(
    eventually([this] {
      for (const auto & name : node->get_node_names()) {
        if (name.find("/transform_listener_impl_") == 0) {
          return true;
        }
      }
      return false;
    }));
  tf2_ros::TransformBroadcaster broadcaster(*node);
  sendUntilKnown(broadcaster, "base");
}

TEST_F(Topics, a_listener_without_a_thread_needs_the_executor_of_the_node)
{
  const tf2_ros::TransformListener listener(*buffer, node.get(), false);
  EXPECT_FALSE(buffer->isUsingDedicatedThread());
  tf2_ros::TransformBroadcaster broadcaster(node.get());
  ASSERT_TRUE(eventually([this] {return node->count_publishers("/tf") == 1;}));
  broadcaster.sendTransform(now("map", "base", 1.0));
  EXPECT_FALSE(buffer->canTransform("map", "base", TimePointZero));
  const Spinner spinner(node);
  sendUntilKnown(broadcaster, "base");
}

TEST_F(Topics, several_transforms_in_one_message)
{
  const tf2_ros::TransformListener listener(*buffer, *node);
  tf2_ros::TransformBroadcaster broadcaster(node->get_node_parameters_interface(), node->get_node_topics_interface());
  EXPECT_TRUE(
    eventually([&] {
      broadcaster.sendTransform({now("map", "base", 1.0), now("base", "laser", 2.0)});
      return buffer->canTransform("map", "laser", TimePointZero);
    }));
}

TEST_F(Topics, a_late_listener_gets_all_static_transforms)
{
  tf2_ros::StaticTransformBroadcaster broadcaster(node);
  broadcaster.sendTransform(now("map", "base", 1.0));
  broadcaster.sendTransform({now("base", "laser", 2.0), now("base", "arm", 3.0)});
  broadcaster.sendTransform(now("map", "base", 5.0));
  const tf2_ros::TransformListener listener(*buffer, node);
  EXPECT_EQ(7.0, buffer->lookupTransform("map", "laser", TimePointZero, 10s).transform.translation.x);
  EXPECT_EQ(8.0, buffer->lookupTransform("map", "arm", TimePointZero, 10s).transform.translation.x);
}

// rclcpp #773: waiting in a callback must not keep the transforms out.
TEST_F(Topics, a_callback_may_wait_for_a_transform)
{
  const tf2_ros::TransformListener listener(*buffer, node);
  tf2_ros::TransformBroadcaster broadcaster(node);
  std::atomic<double> found{0.0};
  std::atomic<bool> has_begun{false};
  const auto timer = node->create_wall_timer(
    1ms, [&] {
      has_begun = true;
      found = buffer->lookupTransform("map", "base", TimePointZero, 10s).transform.translation.x;
    });
  const Spinner spinner(node);
  ASSERT_TRUE(eventually([&] {return has_begun.load();}));
  EXPECT_TRUE(
    eventually([&] {
      broadcaster.sendTransform(now("map", "base", 3.0));
      return found == 3.0;
    }));
  timer->cancel();
}

class CountingListener : public tf2_ros::TransformListener
{
public:
  using tf2_ros::TransformListener::TransformListener;

  void subscription_callback(tf2_msgs::msg::TFMessage::ConstSharedPtr message, bool is_static) override
  {
    (is_static ? static_count : count) += message->transforms.size();
    tf2_ros::TransformListener::subscription_callback(message, is_static);
  }

  std::atomic<std::size_t> count{0};
  std::atomic<std::size_t> static_count{0};
};

TEST_F(Topics, a_derived_class_gets_the_messages)
{
  CountingListener listener(*buffer, node, false);
  tf2_ros::TransformBroadcaster broadcaster(node);
  tf2_ros::StaticTransformBroadcaster static_broadcaster(node);
  static_broadcaster.sendTransform(now("base", "laser", 2.0));
  const Spinner spinner(node);
  sendUntilKnown(broadcaster, "base");
  EXPECT_TRUE(eventually([&] {return listener.static_count == 1;}));
  EXPECT_GE(listener.count, 1u);
}

TEST_F(Topics, what_a_callback_throws_does_not_end_the_thread)
{
  buffer->setCreateTimerInterface(
    std::make_shared<tf2_ros::CreateTimerROS>(node->get_node_base_interface(), node->get_node_timers_interface()));
  const tf2_ros::TransformListener listener(*buffer, node);
  tf2_ros::TransformBroadcaster broadcaster(node);
  std::atomic<bool> is_called{false};
  buffer->waitForTransform(
    "map", "base", TimePointZero, tf2::Duration(60s), [&](const auto &) {
      is_called = true;
      throw std::runtime_error("mine");
    });
  sendUntilKnown(broadcaster, "base");
  EXPECT_TRUE(eventually([&] {return is_called.load();}));
  sendUntilKnown(broadcaster, "other");
}

// rclcpp #2678: the buffer may go right after the listener.
TEST_F(Topics, a_listener_ends_while_messages_come)
{
  std::atomic<bool> stop{false};
  std::thread sender([&] {
      tf2_ros::TransformBroadcaster broadcaster(node);
      while (!stop) {
        broadcaster.sendTransform(now("map", "base", 1.0));
      }
    });
  for (int turn = 0; turn < 50; ++turn) {
    auto own = std::make_unique<tf2_ros::Buffer>(node->get_clock());
    auto listener = std::make_unique<tf2_ros::TransformListener>(*own, node);
    if (turn % 2 == 0) {
      own->canTransform("map", "base", TimePointZero, 100ms);
    }
    listener.reset();
    own.reset();
  }
  stop = true;
  sender.join();
}

TEST_F(Topics, threads_share_a_static_broadcaster)
{
  tf2_ros::StaticTransformBroadcaster broadcaster(node);
  const auto send = [&](const std::string & prefix) {
      for (int index = 0; index < 20; ++index) {
        broadcaster.sendTransform(now("map", prefix + std::to_string(index), 1.0));
      }
    };
  std::thread first(send, "a"), second(send, "b");
  first.join();
  second.join();
  const tf2_ros::TransformListener listener(*buffer, node);
  for (int index = 0; index < 20; ++index) {
    EXPECT_TRUE(buffer->canTransform("map", "a" + std::to_string(index), TimePointZero, 10s));
    EXPECT_TRUE(buffer->canTransform("map", "b" + std::to_string(index), TimePointZero, 10s));
  }
}

/// Starts this program again with one of its disabled tests.
class Process
{
public:
  explicit Process(const char * test)
  : pid_(fork())
  {
    if (pid_ == 0) {
      const std::string filter = std::string("--gtest_filter=") + test;
      execl(
        "/proc/self/exe", "child", filter.c_str(), "--gtest_also_run_disabled_tests", static_cast<char *>(nullptr));
      _exit(127);
    }
  }
  ~Process()
  {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

private:
  const pid_t pid_;
};

/// The other process: it sends until it is killed.
TEST_F(Topics, DISABLED_child_that_sends)
{
  tf2_ros::TransformBroadcaster broadcaster(node);
  tf2_ros::StaticTransformBroadcaster static_broadcaster(node);
  static_broadcaster.sendTransform(now("base", "laser", 2.0));
  for (int turn = 0; turn < 6000; ++turn) {
    broadcaster.sendTransform(now("map", "base", 1.0));
    std::this_thread::sleep_for(5ms);
  }
}

TEST_F(Topics, transforms_of_another_process)
{
  const Process sender("Topics.DISABLED_child_that_sends");
  const tf2_ros::TransformListener listener(*buffer, node);
  EXPECT_EQ(3.0, buffer->lookupTransform("map", "laser", TimePointZero, 20s).transform.translation.x);
  const auto time = node->now();
  const auto found = buffer->lookupTransform("map", "laser", time, rclcpp::Duration(10s));
  EXPECT_EQ(time, rclcpp::Time(found.header.stamp, time.get_clock_type()));
}

}  // namespace
