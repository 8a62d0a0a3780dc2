#include "tf2_ros/message_filter.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fixture.hpp"
#include "geometry_msgs/msg/point_stamped.hpp"
#include "message_filters/pass_through.h"
#include "message_filters/subscriber.h"
#include "tf2_ros/create_timer_ros.h"
#include "tf2_ros/transform_broadcaster.h"
#include "tf2_ros/transform_listener.h"

namespace
{

using geometry_msgs::msg::PointStamped;
using Filter = tf2_ros::MessageFilter<PointStamped>;
namespace reasons = tf2_ros::filter_failure_reasons;

class MessageFilter : public NodeTest
{
protected:
  void SetUp() override
  {
    NodeTest::SetUp();
    buffer.emplace(node->get_clock());
    buffer->setCreateTimerInterface(
      std::make_shared<tf2_ros::CreateTimerROS>(node->get_node_base_interface(), node->get_node_timers_interface()));
  }

  void TearDown() override
  {
    filter.reset();
    buffer.reset();
    NodeTest::TearDown();
  }

  void make(std::uint32_t size, tf2::Duration timeout = tf2::Duration::max())
  {
    filter.emplace(*buffer, "map", size, node, timeout);
    filter->registerCallback([this](const PointStamped::ConstSharedPtr & message) {passed.push_back(message->point.x);});
    filter->registerFailureCallback(
      [this](const PointStamped::ConstSharedPtr & message, tf2_ros::FilterFailureReason reason) {
        dropped.emplace_back(message->point.x, reason);
      });
  }

  static PointStamped::ConstSharedPtr point(double x, int second, const std::string & frame = "base")
  {
    auto message = std::make_shared<PointStamped>();
    message->header.frame_id = frame;
    message->header.stamp.sec = second;
    message->point.x = x;
    return message;
  }

  void set(int second, const std::string & parent = "map", const std::string & child = "base")
  {
    buffer->setTransform(translated(parent, child, 1.0, rclcpp::Time(second, 0)), "test");
  }

  using Passed = std::vector<double>;
  using Dropped = std::vector<std::pair<double, tf2_ros::FilterFailureReason>>;

  std::optional<tf2_ros::Buffer> buffer;
  std::optional<Filter> filter;
  Passed passed;
  Dropped dropped;
};

TEST_F(MessageFilter, each_constructor)
{
  message_filters::PassThrough<PointStamped> input;
  const auto logging = node->get_node_logging_interface();
  const auto clock = node->get_node_clock_interface();
  Filter with_node(*buffer, "map", 10, node);
  Filter with_timeout(*buffer, "map", 10, node, 100ms);
  Filter with_interfaces(*buffer, "map", 10, logging, clock);
  Filter with_interfaces_and_timeout(*buffer, "map", 10, logging, clock, std::chrono::hours::max());
  Filter with_input(input, *buffer, "map", 10, node);
  Filter with_input_and_timeout(input, *buffer, "map", 10, node, 1h);
  Filter with_input_and_interfaces(input, *buffer, "map", 10, logging, clock);
  Filter with_all(input, *buffer, "map", 10, logging, clock, 0us);
  EXPECT_EQ(10u, with_all.getQueueSize());
}

TEST_F(MessageFilter, messages_wait_for_their_transforms)
{
  make(10);
  set(1);
  filter->add(point(1, 1));
  EXPECT_EQ((Passed{1}), passed);
  filter->add(point(2, 2));
  filter->add(point(3, 3));
  EXPECT_EQ((Passed{1}), passed);
  set(3);
  EXPECT_EQ((Passed{1, 2, 3}), passed);
  EXPECT_TRUE(dropped.empty());
}

TEST_F(MessageFilter, all_target_frames_and_the_tolerance_must_be_known)
{
  make(10);
  filter->setTargetFrames({"/map", "odom"});
  EXPECT_EQ("map odom ", filter->getTargetFramesString());
  filter->setTolerance(rclcpp::Duration(2s));
  filter->add(point(1, 1, "/base"));
  set(1);
  set(3);
  EXPECT_TRUE(passed.empty());
  set(1, "base", "odom");
  EXPECT_TRUE(passed.empty());
  set(3, "base", "odom");
  EXPECT_EQ((Passed{1}), passed);
  filter->setTargetFrames({});
  filter->add(point(2, 1));
  EXPECT_EQ((Passed{1}), passed);
}

TEST_F(MessageFilter, a_full_queue_drops_the_oldest_message)
{
  make(2);
  for (int index = 1; index <= 4; ++index) {
    filter->add(point(index, 1));
  }
  EXPECT_EQ((Dropped{{1, reasons::QueueFull}, {2, reasons::QueueFull}}), dropped);
  set(1);
  EXPECT_EQ((Passed{3, 4}), passed);
  filter->setQueueSize(1);
  EXPECT_EQ(1u, filter->getQueueSize());
  // 0 is no limit.
  filter->setQueueSize(0);
  for (int index = 0; index < 100; ++index) {
    filter->add(point(index, 2));
  }
  set(2);
  EXPECT_EQ(102u, passed.size());
}

TEST_F(MessageFilter, a_message_that_can_never_be_transformed_is_dropped)
{
  make(10);
  filter->add(point(1, 5, ""));
  filter->add(point(2, 5));
  set(100);
  set(101);
  filter->add(point(3, 5));
  EXPECT_EQ((Dropped{{1, reasons::EmptyFrameID}, {2, reasons::OutTheBack}, {3, reasons::OutTheBack}}), dropped);
  EXPECT_TRUE(passed.empty());
}

TEST_F(MessageFilter, a_timeout_drops_a_message)
{
  std::atomic<int> count{0};
  make(10, 20ms);
  filter->registerFailureCallback([&](const auto &, auto reason) {
      EXPECT_EQ(reasons::NoTransformFound, reason);
      ++count;
    });
  filter->add(point(1, 5));
  {
    const Spinner spinner(node);
    EXPECT_TRUE(eventually([&] {return count == 1;}));
  }
  set(5);
  EXPECT_TRUE(passed.empty());
}

TEST_F(MessageFilter, clear_drops_all_messages)
{
  make(10);
  filter->add(point(1, 1));
  filter->clear();
  set(1);
  EXPECT_TRUE(passed.empty());
  filter->add(point(2, 1));
  EXPECT_EQ((Passed{2}), passed);
}

TEST_F(MessageFilter, a_removed_failure_callback_is_not_called)
{
  make(1);
  int count = 0;
  auto connection = filter->registerFailureCallback([&](const auto &, auto) {++count;});
  filter->add(point(1, 1, ""));
  connection.disconnect();
  filter->add(point(2, 1, ""));
  EXPECT_EQ(1, count);
}

TEST_F(MessageFilter, without_timers_a_message_is_refused)
{
  tf2_ros::Buffer own(node->get_clock());
  Filter without(own, "map", 10, node);
  EXPECT_THROW(without.add(point(1, 1)), tf2_ros::CreateTimerInterfaceException);
}

TEST_F(MessageFilter, the_input_is_another_filter)
{
  message_filters::PassThrough<PointStamped> first, second;
  make(10);
  set(1);
  filter->connectInput(first);
  first.add(point(1, 1));
  filter->connectInput(second);
  first.add(point(2, 1));
  second.add(point(3, 1));
  EXPECT_EQ((Passed{1, 3}), passed);
  filter.reset();
  second.add(point(4, 1));
  EXPECT_EQ((Passed{1, 3}), passed);
}

TEST_F(MessageFilter, a_callback_may_destroy_the_filter)
{
  filter.emplace(*buffer, "map", 10, node);
  int count = 0;
  filter->registerCallback([&](const PointStamped::ConstSharedPtr &) {
      ++count;
      filter->clear();
      filter.reset();
    });
  filter->add(point(1, 1));
  filter->add(point(2, 1));
  set(1);
  EXPECT_EQ(1, count);
}

// rclcpp #2678: no callback runs on after the filter has gone.
TEST_F(MessageFilter, the_filter_ends_while_transforms_come)
{
  std::atomic<int> second{1};
  std::atomic<bool> stop{false};
  std::thread sender([&] {
      while (!stop) {
        set(second);
      }
    });
  for (; second < 200; ++second) {
    auto alive = std::make_shared<std::atomic<bool>>(true);
    {
      Filter own(*buffer, "map", 10, node);
      own.registerCallback([alive](const PointStamped::ConstSharedPtr &) {
          EXPECT_TRUE(*alive);
          std::this_thread::sleep_for(50us);
          EXPECT_TRUE(*alive);
        });
      own.add(point(1, second));
      own.add(point(1, second + 1));
    }
    *alive = false;
  }
  stop = true;
  sender.join();
}

TEST_F(MessageFilter, messages_and_transforms_come_over_topics)
{
  const tf2_ros::TransformListener listener(*buffer, node);
  message_filters::Subscriber<PointStamped> subscriber(node, "point");
  Filter own(subscriber, *buffer, "map", 10, node);
  std::atomic<int> count{0};
  own.registerCallback([&](const PointStamped & message) {
      EXPECT_EQ("base", message.header.frame_id);
      EXPECT_TRUE(buffer->canTransform("map", "base", rclcpp::Time(message.header.stamp)));
      ++count;
    });
  const auto publisher = node->create_publisher<PointStamped>("point", 10);
  tf2_ros::TransformBroadcaster broadcaster(node);
  const Spinner spinner(node);
  EXPECT_TRUE(
    eventually([&] {
      auto message = *point(1, 0);
      message.header.stamp = node->now();
      publisher->publish(message);
      broadcaster.sendTransform(translated("map", "base", 1.0, node->now()));
      return count > 5;
    }));
}

TEST(FilterFailureReason, each_has_a_text)
{
  for (int reason = reasons::OutTheBack; reason < reasons::FilterFailureReasonCount; ++reason) {
    EXPECT_NE("unknown", tf2_ros::get_filter_failure_reason_string(static_cast<tf2_ros::FilterFailureReason>(reason)));
  }
  EXPECT_EQ("unknown", tf2_ros::get_filter_failure_reason_string(reasons::Unknown));
  EXPECT_EQ("unknown", tf2_ros::get_filter_failure_reason_string(reasons::FilterFailureReasonCount));
}

}  // namespace
