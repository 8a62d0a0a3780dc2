// Filters of messages.
#include "common.hpp"

#include "geometry_msgs/msg/point_stamped.hpp"
#include "message_filters/cache.h"
#include "message_filters/pass_through.h"
#include "message_filters/subscriber.h"
#include "message_filters/sync_policies/approximate_time.h"
#include "message_filters/sync_policies/exact_time.h"
#include "message_filters/synchronizer.h"
#include "message_filters/time_synchronizer.h"

namespace
{

using geometry_msgs::msg::PointStamped;

/// Two topics with points.
class Filters : public WithNode
{
public:
  void on_pair(const PointStamped::ConstSharedPtr & one, const PointStamped::ConstSharedPtr & other)
  {
    pairs.emplace_back(one->point.x, other->point.x);
  }

protected:
  void publish(int seconds_of_left, int seconds_of_right)
  {
    left_publisher->publish(point(seconds_of_left));
    right_publisher->publish(point(seconds_of_right));
  }

  static PointStamped point(int seconds)
  {
    PointStamped message;
    message.header.stamp = rclcpp::Time(seconds, 0);
    message.point.x = seconds;
    return message;
  }

  using Pairs = std::vector<std::pair<double, double>>;
  message_filters::Subscriber<PointStamped> left{node, "left"};
  message_filters::Subscriber<PointStamped> right;
  rclcpp::Publisher<PointStamped>::SharedPtr left_publisher = node->create_publisher<PointStamped>("left", 10);
  rclcpp::Publisher<PointStamped>::SharedPtr right_publisher = node->create_publisher<PointStamped>("right", 10);
  Pairs pairs;
};

}  // namespace

TEST_F(Filters, a_subscriber_calls_until_it_is_disconnected)
{
  right.subscribe(node, "right", rmw_qos_profile_sensor_data);
  EXPECT_EQ(right.getTopic(), "right");
  int count = 0;
  message_filters::Connection connection =
    right.registerCallback([&](const PointStamped::ConstSharedPtr &) {++count;});
  right_publisher->publish(point(1));
  EXPECT_TRUE(spin_until([&] {return count == 1;}));
  connection.disconnect();
  right.unsubscribe();
  EXPECT_EQ(right_publisher->get_subscription_count(), 0u);
}

TEST_F(Filters, equal_stamps_are_pairs)
{
  using Policy = message_filters::sync_policies::ExactTime<PointStamped, PointStamped>;
  right.subscribe(node.get(), "right");
  message_filters::Synchronizer<Policy> synchronizer(Policy(10), left, right);
  synchronizer.registerCallback(std::bind(&Filters::on_pair, this, _1, _2));
  publish(1, 2);
  publish(2, 3);
  EXPECT_TRUE(spin_until([&] {return !pairs.empty();}));
  EXPECT_EQ(pairs, (Pairs{{2.0, 2.0}}));
}

TEST_F(Filters, near_stamps_are_pairs)
{
  using Policy = message_filters::sync_policies::ApproximateTime<PointStamped, PointStamped>;
  right.subscribe(node.get(), "right");
  auto synchronizer = std::make_shared<message_filters::Synchronizer<Policy>>(Policy(10));
  synchronizer->connectInput(left, right);
  synchronizer->setInterMessageLowerBound(0, rclcpp::Duration::from_seconds(1.0));
  synchronizer->registerCallback(&Filters::on_pair, this);
  publish(10, 11);
  publish(20, 21);
  EXPECT_TRUE(spin_until([&] {return !pairs.empty();}));
  EXPECT_EQ(pairs[0], std::make_pair(10.0, 11.0));
}

TEST_F(Filters, a_synchronizer_of_time_needs_no_policy)
{
  right.subscribe(node.get(), "right");
  message_filters::TimeSynchronizer<PointStamped, PointStamped> synchronizer(left, right, 10);
  synchronizer.registerCallback(std::bind(&Filters::on_pair, this, _1, _2));
  publish(5, 5);
  EXPECT_TRUE(spin_until([&] {return pairs == Pairs{{5.0, 5.0}};}));
}

TEST_F(Filters, a_cache_keeps_what_passes)
{
  message_filters::PassThrough<PointStamped> input;
  message_filters::Cache<PointStamped> cache(input, 2);
  for (int second = 1; second <= 3; ++second) {
    input.add(std::make_shared<PointStamped>(point(second)));
  }
  EXPECT_EQ(cache.getInterval(rclcpp::Time(0, 0, RCL_ROS_TIME), rclcpp::Time(9, 0, RCL_ROS_TIME)).size(), 2u);
  EXPECT_EQ(cache.getLatestTime().seconds(), 3.0);
}
