#include <atomic>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "fixture.hpp"
#include "tf2_ros/buffer.h"
#include "tf2_ros/create_timer_ros.h"

namespace
{

/// Timers that the test runs.
class ManualTimers : public tf2_ros::CreateTimerInterface
{
public:
  tf2_ros::TimerHandle createTimer(
    rclcpp::Clock::SharedPtr, const tf2::Duration &, tf2_ros::TimerCallbackType callback) override
  {
    callbacks.push_back(callback);
    return callbacks.size();
  }
  void cancel(const tf2_ros::TimerHandle &) override {}
  void reset(const tf2_ros::TimerHandle &) override {}
  void remove(const tf2_ros::TimerHandle & handle) override {removed.push_back(handle);}

  void run()
  {
    const auto all = callbacks;
    for (std::size_t index = 0; index < all.size(); ++index) {
      all[index](index + 1);
    }
  }

  std::vector<tf2_ros::TimerCallbackType> callbacks;
  std::vector<tf2_ros::TimerHandle> removed;
};

class WaitForTransform : public NodeTest
{
protected:
  void SetUp() override
  {
    NodeTest::SetUp();
    buffer.emplace(node->get_clock());
    buffer->setCreateTimerInterface(timers);
  }

  void TearDown() override
  {
    buffer.reset();
    NodeTest::TearDown();
  }

  tf2_ros::TransformStampedFuture wait(const std::string & source, tf2::TimePoint time, tf2::Duration timeout = 1s)
  {
    return buffer->waitForTransform(
      "map", source, time, timeout, [this](const tf2_ros::TransformStampedFuture & future) {
        EXPECT_EQ(std::future_status::ready, future.wait_for(0s));
        called.push_back(future.getHandle());
      });
  }

  void set(const std::string & child, int second)
  {
    buffer->setTransform(translated("map", child, second, rclcpp::Time(second, 0)), "test");
  }

  static bool isReady(const tf2_ros::TransformStampedFuture & future)
  {
    return future.wait_for(0s) == std::future_status::ready;
  }

  std::shared_ptr<ManualTimers> timers = std::make_shared<ManualTimers>();
  std::optional<tf2_ros::Buffer> buffer;
  std::vector<tf2::TransformableRequestHandle> called;
};

TEST_F(WaitForTransform, needs_timers)
{
  tf2_ros::Buffer own(node->get_clock());
  EXPECT_THROW(
    own.waitForTransform("map", "base", tf2::TimePointZero, tf2::Duration(1s), [](const auto &) {}),
    tf2_ros::CreateTimerInterfaceException);
}

TEST_F(WaitForTransform, a_known_transform_is_ready)
{
  set("base", 1);
  const auto future = wait("base", tf2::TimePoint(1s));
  ASSERT_TRUE(isReady(future));
  EXPECT_EQ(1.0, future.get().transform.translation.x);
  EXPECT_EQ(std::vector<tf2::TransformableRequestHandle>{0}, called);
  EXPECT_TRUE(timers->callbacks.empty());
}

TEST_F(WaitForTransform, a_later_transform_completes_the_future_once)
{
  const auto future = wait("base", tf2::TimePoint(1s));
  EXPECT_FALSE(isReady(future));
  set("base", 1);
  ASSERT_TRUE(isReady(future));
  EXPECT_EQ("base", future.get().child_frame_id);
  // The timeout comes too late.
  timers->run();
  EXPECT_EQ(std::vector{future.getHandle()}, called);
  EXPECT_EQ(std::vector<tf2_ros::TimerHandle>{1}, timers->removed);
}

TEST_F(WaitForTransform, a_timeout_fails)
{
  const auto future = wait("base", tf2::TimePoint(1s));
  timers->run();
  ASSERT_TRUE(isReady(future));
  EXPECT_THROW(future.get(), tf2::TimeoutException);
  // The transform comes too late.
  set("base", 1);
  EXPECT_EQ(1u, called.size());
}

TEST_F(WaitForTransform, a_time_that_is_too_old_fails)
{
  set("base", 100);
  set("base", 101);
  const auto future = wait("base", tf2::TimePoint(1s));
  ASSERT_TRUE(isReady(future));
  EXPECT_THROW(future.get(), tf2::LookupException);
  EXPECT_EQ(1u, called.size());
}

TEST_F(WaitForTransform, a_cancelled_future_calls_nothing_and_has_no_timer)
{
  const auto future = wait("base", tf2::TimePoint(1s));
  buffer->cancel(future);
  set("base", 1);
  timers->run();
  EXPECT_TRUE(called.empty());
  EXPECT_EQ(std::vector<tf2_ros::TimerHandle>{1}, timers->removed);
  EXPECT_THROW(future.get(), std::future_error);
}

TEST_F(WaitForTransform, the_longest_timeout_needs_no_timer)
{
  const auto future = wait("base", tf2::TimePoint(1s), tf2::Duration::max());
  EXPECT_TRUE(timers->callbacks.empty());
  set("base", 1);
  EXPECT_TRUE(isReady(future));
}

TEST_F(WaitForTransform, times_of_rclcpp)
{
  const auto future = buffer->waitForTransform(
    "map", "base", rclcpp::Time(1, 0), rclcpp::Duration(1s), [](const auto &) {});
  set("base", 1);
  EXPECT_TRUE(isReady(future));
}

TEST_F(WaitForTransform, the_end_of_the_buffer_ends_the_timers)
{
  const auto future = wait("base", tf2::TimePoint(1s));
  buffer.reset();
  EXPECT_EQ(std::vector<tf2_ros::TimerHandle>{1}, timers->removed);
  EXPECT_TRUE(called.empty());
}

TEST_F(WaitForTransform, a_callback_may_cancel_and_wait_again)
{
  tf2_ros::TransformStampedFuture again;
  const auto first = buffer->waitForTransform(
    "map", "base", tf2::TimePoint(1s), tf2::Duration(1s), [&](const tf2_ros::TransformStampedFuture & future) {
      buffer->cancel(future);
      again = wait("arm", tf2::TimePoint(1s));
    });
  set("base", 1);
  ASSERT_TRUE(isReady(first));
  set("arm", 1);
  EXPECT_TRUE(isReady(again));
}

TEST_F(WaitForTransform, a_timer_of_a_node_ends_the_wait)
{
  buffer->setCreateTimerInterface(
    std::make_shared<tf2_ros::CreateTimerROS>(node->get_node_base_interface(), node->get_node_timers_interface()));
  std::atomic<int> calls{0};
  const Spinner spinner(node);
  const auto future = buffer->waitForTransform(
    "map", "base", tf2::TimePoint(1s), tf2::Duration(20ms), [&](const auto &) {++calls;});
  ASSERT_EQ(std::future_status::ready, future.wait_for(10s));
  EXPECT_THROW(future.get(), tf2::TimeoutException);
  // A timer that was not ended would call again before the third call of this one.
  std::atomic<int> ticks{0};
  const auto timer = node->create_wall_timer(20ms, [&ticks] {++ticks;});
  ASSERT_TRUE(eventually([&ticks] {return ticks >= 3;}));
  EXPECT_EQ(1, calls);
}

// The transform, the timeout and a cancellation meet.
TEST_F(WaitForTransform, threads_end_the_same_waits)
{
  buffer->setCreateTimerInterface(
    std::make_shared<tf2_ros::CreateTimerROS>(node->get_node_base_interface(), node->get_node_timers_interface()));
  std::atomic<int> calls{0};
  std::atomic<int> turn{0};
  std::atomic<bool> stop{false};
  const Spinner spinner(node);
  std::thread sender([&] {
      while (!stop) {
        set("base" + std::to_string(turn), 1);
      }
    });
  int cancelled = 0;
  for (; turn < 300; ++turn) {
    const auto future = buffer->waitForTransform(
      "map", "base" + std::to_string(turn), tf2::TimePoint(1s), tf2::Duration(100us), [&](const auto &) {++calls;});
    if (turn % 3 == 0) {
      buffer->cancel(future);
      ++cancelled;
    } else {
      EXPECT_EQ(std::future_status::ready, future.wait_for(10s));
    }
  }
  stop = true;
  sender.join();
  EXPECT_TRUE(eventually([&] {return calls >= 300 - cancelled;}));
  EXPECT_LE(calls, 300);
}

TEST_F(WaitForTransform, timers_of_a_node)
{
  tf2_ros::CreateTimerROS own(node->get_node_base_interface(), node->get_node_timers_interface());
  std::atomic<int> calls{0};
  const auto count = [&](const tf2_ros::TimerHandle &) {++calls;};
  const auto first = own.createTimer(node->get_clock(), 1ms, count);
  const auto second = own.createTimer(node->get_clock(), 1h, [](const auto &) {});
  EXPECT_NE(first, second);
  {
    const Spinner spinner(node);
    EXPECT_TRUE(eventually([&] {return calls > 2;}));
    own.cancel(first);
    own.reset(first);
    const int before = calls;
    EXPECT_TRUE(eventually([&] {return calls > before + 2;}));
    own.remove(first);
  }
  const int after = calls;
  EXPECT_THROW(own.remove(first), tf2_ros::InvalidTimerHandleException);
  EXPECT_THROW(own.cancel(first), tf2_ros::InvalidTimerHandleException);
  EXPECT_THROW(own.reset(77), tf2_ros::InvalidTimerHandleException);
  EXPECT_THROW(own.createTimer(nullptr, 1s, count), tf2_ros::CreateTimerInterfaceException);
  EXPECT_EQ(after, calls);
}

}  // namespace
