// Buffers of transforms, listeners, broadcasters and the message filter.
#include "common.hpp"

#include "geometry_msgs/msg/point_stamped.hpp"
#include "geometry_msgs/msg/transform_stamped.hpp"
#include "tf2/buffer_core.h"
#include "tf2/exceptions.h"
#include "tf2/time.h"
#include "tf2_geometry_msgs/tf2_geometry_msgs.hpp"
#include "tf2_ros/create_timer_ros.h"
#include "tf2_ros/message_filter.h"
#include "tf2_ros/static_transform_broadcaster.h"
#include "tf2_ros/transform_broadcaster.h"

namespace
{

using geometry_msgs::msg::PointStamped;
using geometry_msgs::msg::TransformStamped;

TransformStamped shift(const std::string & parent, const std::string & child, double x, const rclcpp::Time & stamp)
{
  TransformStamped transform;
  transform.header.stamp = stamp;
  transform.header.frame_id = parent;
  transform.child_frame_id = child;
  transform.transform.translation.x = x;
  transform.transform.rotation.w = 1.0;
  return transform;
}

/// A buffer as nodes have it.
class Transforms : public WithNode
{
protected:
  std::unique_ptr<tf2_ros::Buffer> buffer = std::make_unique<tf2_ros::Buffer>(node->get_clock());
};

}  // namespace

TEST_F(Transforms, what_is_broadcast_is_looked_up)
{
  auto listener = std::make_shared<tf2_ros::TransformListener>(*buffer);
  tf2_ros::TransformBroadcaster broadcaster(node);
  auto static_broadcaster = std::make_shared<tf2_ros::StaticTransformBroadcaster>(node);
  const rclcpp::Time now = node->now();
  static_broadcaster->sendTransform(shift("base", "camera", 0.5, now));
  broadcaster.sendTransform(std::vector<TransformStamped>{shift("map", "base", 2.0, now)});
  const TransformStamped found = buffer->lookupTransform("map", "camera", tf2::TimePointZero, 10s);
  EXPECT_EQ(found.transform.translation.x, 2.5);
  EXPECT_EQ(
    buffer->lookupTransform("map", "camera", now, rclcpp::Duration::from_seconds(10)).transform.translation.x, 2.5);
  EXPECT_TRUE(buffer->canTransform("map", "camera", tf2::TimePointZero));
}

TEST_F(Transforms, a_node_of_the_program_receives_them)
{
  tf2_ros::TransformListener listener(*buffer, node, false);
  tf2_ros::TransformBroadcaster broadcaster(*node);
  broadcaster.sendTransform(shift("map", "base", 2.0, node->now()));
  EXPECT_TRUE(spin_until([&] {return buffer->canTransform("map", "base", tf2::TimePointZero);}));
}

TEST_F(Transforms, a_timeout_needs_another_thread)
{
  std::string reason;
  EXPECT_FALSE(buffer->canTransform("map", "base", tf2::TimePointZero, tf2::durationFromSec(0.02), &reason));
  EXPECT_NE(reason.find("dedicated thread"), std::string::npos) << reason;
  buffer->setUsingDedicatedThread(true);
  std::thread thread([&] {
      std::this_thread::sleep_for(5ms);
      buffer->setTransform(shift("map", "base", 2.0, node->now()), "test", true);
    });
  EXPECT_TRUE(buffer->canTransform("map", "base", tf2::TimePointZero, 10s));
  thread.join();
}

TEST_F(Transforms, what_is_unknown_is_an_exception)
{
  buffer->setTransform(shift("map", "base", 1.0, rclcpp::Time(10, 0)), "test");
  buffer->setTransform(shift("other", "far", 1.0, rclcpp::Time(10, 0)), "test", true);
  EXPECT_THROW(buffer->lookupTransform("map", "nowhere", tf2::TimePointZero), tf2::LookupException);
  EXPECT_THROW(buffer->lookupTransform("map", "far", tf2::TimePointZero), tf2::ConnectivityException);
  EXPECT_THROW(buffer->lookupTransform("map", "base", rclcpp::Time(99, 0)), tf2::ExtrapolationException);
  try {
    buffer->lookupTransform("map", "nowhere", tf2::TimePointZero);
    FAIL();
  } catch (const tf2::TransformException & error) {
    EXPECT_NE(std::string(error.what()).find("nowhere"), std::string::npos);
  }
  std::string reason;
  EXPECT_FALSE(buffer->canTransform("map", "nowhere", tf2::TimePointZero, tf2::durationFromSec(0.0), &reason));
  EXPECT_NE(reason, "");
}

TEST_F(Transforms, data_is_transformed)
{
  buffer->setTransform(shift("map", "base", 1.0, node->now()), "test", true);
  PointStamped point;
  point.header.frame_id = "base";
  point.point.x = 2.0;
  EXPECT_EQ(buffer->transform(point, "map").point.x, 3.0);
  PointStamped moved;
  buffer->transform(point, moved, "map", tf2::durationFromSec(0.1));
  EXPECT_EQ(moved.header.frame_id, "map");
  tf2::doTransform(point, moved, buffer->lookupTransform("map", "base", tf2::TimePointZero));
  EXPECT_EQ(moved.point.x, 3.0);
}

TEST_F(Transforms, the_core_is_used_alone)
{
  tf2::BufferCore core(tf2::durationFromSec(5.0));
  core.setTransform(shift("map", "base", 1.0, rclcpp::Time(10, 0)), "test");
  EXPECT_EQ(core.lookupTransform("map", "base", tf2::TimePointZero).transform.translation.x, 1.0);
  core.clear();
  EXPECT_FALSE(core.canTransform("map", "base", tf2::TimePointZero));
}

TEST_F(Transforms, a_callback_waits_for_a_transform)
{
  auto timers = std::make_shared<tf2_ros::CreateTimerROS>(
    node->get_node_base_interface(), node->get_node_timers_interface());
  buffer->setCreateTimerInterface(timers);
  double x = 0.0;
  auto future = buffer->waitForTransform(
    "map", "base", tf2::TimePointZero, 10s, [&](const tf2_ros::TransformStampedFuture & ready) {
      x = ready.get().transform.translation.x;
    });
  buffer->setTransform(shift("map", "base", 4.0, node->now()), "test");
  EXPECT_TRUE(spin_until([&] {return x == 4.0;}));
}

TEST_F(Transforms, a_filter_holds_messages_until_their_transform)
{
  buffer->setCreateTimerInterface(
    std::make_shared<tf2_ros::CreateTimerROS>(node->get_node_base_interface(), node->get_node_timers_interface()));
  message_filters::Subscriber<PointStamped> subscriber(node, "points");
  tf2_ros::MessageFilter<PointStamped> filter(subscriber, *buffer, "nowhere", 10, node);
  double x = 0.0;
  filter.registerCallback([&](const PointStamped::ConstSharedPtr & point) {x = point->point.x;});
  filter.setTargetFrame("map");
  filter.connectInput(subscriber);
  auto publisher = node->create_publisher<PointStamped>("points", 10);
  PointStamped point;
  point.header.stamp = node->now();
  point.header.frame_id = "base";
  point.point.x = 3.0;
  // The filter gets each message before this callback, which was registered later.
  bool has_arrived = false;
  subscriber.registerCallback([&](const PointStamped::ConstSharedPtr &) {has_arrived = true;});
  ASSERT_TRUE(spin_until([&] {return publisher->get_subscription_count() == 1;}));
  publisher->publish(point);
  ASSERT_TRUE(spin_until([&] {return has_arrived;}));
  EXPECT_EQ(x, 0.0);
  buffer->setTransform(shift("map", "base", 1.0, node->now()), "test", true);
  EXPECT_TRUE(spin_until([&] {return x == 3.0;}));
}

TEST_F(Transforms, a_filter_with_a_tolerance_waits_for_later_transforms)
{
  buffer->setCreateTimerInterface(
    std::make_shared<tf2_ros::CreateTimerROS>(node->get_node_base_interface(), node->get_node_timers_interface()));
  tf2_ros::MessageFilter<PointStamped> filter(*buffer, "map", 10, node);
  filter.setTolerance(rclcpp::Duration::from_seconds(2.0));
  int count = 0;
  filter.registerCallback([&](const PointStamped::ConstSharedPtr &) {++count;});
  const auto add_transform = [&](int second) {
      buffer->setTransform(shift("map", "base", 1.0, rclcpp::Time(second, 0)), "test");
    };
  add_transform(10);
  add_transform(11);
  auto point = std::make_shared<PointStamped>();
  point->header.stamp = rclcpp::Time(10, 0);
  point->header.frame_id = "base";
  filter.add(point);
  EXPECT_EQ(count, 0) << "the transform of the second 12 is unknown";
  add_transform(12);
  EXPECT_EQ(count, 1);
}
