// Subscriber, with the nodes of rclcpp.
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "gtest/gtest.h"
#include "message_filters/cache.hpp"
#include "message_filters/chain.hpp"
#include "message_filters/subscriber.hpp"
#include "message_filters/sync_policies/approximate_time.hpp"
#include "message_filters/synchronizer.hpp"
#include "rclcpp/rclcpp.hpp"
#include "sensor_msgs/msg/image.hpp"
#include "sensor_msgs/msg/imu.hpp"

namespace
{

using message_filters::Subscriber;
using sensor_msgs::msg::Image;
using sensor_msgs::msg::Imu;

/// A node, a publisher of the topic "imu", and a count of messages.
struct Fixture : testing::Test
{
  std::shared_ptr<rclcpp::Node> node = std::make_shared<rclcpp::Node>("test_subscriber");
  rclcpp::Publisher<Imu>::SharedPtr publisher = node->create_publisher<Imu>("imu", 10);
  int count = 0;

  template<class Filter>
  void counted(Filter & filter)
  {
    filter.registerCallback([this](const Imu &) {++count;});
  }

  /// Publishes until a message comes, for 10 s at most. Returns whether one came.
  bool receives()
  {
    count = 0;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (count == 0 && std::chrono::steady_clock::now() < end) {
      publisher->publish(Imu());
      rclcpp::spin_some(node);
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return count > 0;
  }
};

/// A type of nodes that has no more than the interfaces of a node, as a node of rclcpp_lifecycle has.
class OtherNode
{
public:
  explicit OtherNode(const std::string & name)
  : node_(std::make_shared<rclcpp::Node>(name)) {}

  auto get_node_base_interface() {return node_->get_node_base_interface();}
  auto get_node_topics_interface() {return node_->get_node_topics_interface();}
  auto get_node_parameters_interface() {return node_->get_node_parameters_interface();}
  rclcpp::Node::SharedPtr node() const {return node_;}

private:
  rclcpp::Node::SharedPtr node_;
};

class DerivedNode : public rclcpp::Node
{
public:
  DerivedNode()
  : Node("derived"), by_this(this, "imu", rclcpp::SensorDataQoS()), by_reference(*this, "imu", 10) {}

  Subscriber<Imu> by_this;
  Subscriber<Imu> by_reference;
};

TEST_F(Fixture, all_forms_of_the_constructor)
{
  const rclcpp::SubscriptionOptions options;
  Subscriber<Imu> shared(node, "imu");
  Subscriber<Imu> raw(node.get(), "imu");
  Subscriber<Imu> shared_profile(node, "imu", rmw_qos_profile_sensor_data);
  Subscriber<Imu> raw_profile(node.get(), "imu", rmw_qos_profile_default, options);
  Subscriber<Imu> shared_qos(node, "imu", rclcpp::QoS(3));
  Subscriber<Imu> raw_qos(node.get(), "imu", rclcpp::SensorDataQoS(), options);
  Subscriber<Imu> number(node, "imu", 7, options);
  Subscriber<Imu> of_method(node, "imu", rclcpp::QoS(4).get_rmw_qos_profile());
  Subscriber<Imu> reference(*node, "imu", rclcpp::QoS(5));
  int calls = 0;
  for (auto * subscriber : {&shared, &raw, &shared_profile, &raw_profile, &shared_qos, &raw_qos, &number, &reference}) {
    subscriber->registerCallback([&calls](const Imu::ConstSharedPtr &) {++calls;});
    EXPECT_EQ("imu", subscriber->getTopic());
    EXPECT_STREQ("/imu", subscriber->getSubscriber()->get_topic_name());
  }
  EXPECT_EQ(10U, shared.getSubscriber()->get_actual_qos().depth());
  EXPECT_EQ(5U, shared_profile.getSubscriber()->get_actual_qos().depth());
  EXPECT_EQ(3U, shared_qos.getSubscriber()->get_actual_qos().depth());
  EXPECT_EQ(7U, number.getSubscriber()->get_actual_qos().depth());
  EXPECT_EQ(4U, of_method.getSubscriber()->get_actual_qos().depth());
  counted(of_method);
  EXPECT_TRUE(receives());
  EXPECT_GE(calls, 8);
}

TEST_F(Fixture, a_node_subscribes_itself)
{
  const auto derived = std::make_shared<DerivedNode>();
  Subscriber<Imu> shared(derived, "imu", 10);
  EXPECT_EQ("imu", derived->by_this.getTopic());
  EXPECT_EQ("imu", derived->by_reference.getTopic());
  EXPECT_EQ("imu", shared.getTopic());
}

TEST_F(Fixture, nodes_of_other_types)
{
  const auto other = std::make_shared<OtherNode>("other");
  Subscriber<Imu, OtherNode> shared(other, "imu");
  Subscriber<Imu, OtherNode> raw(other.get(), "imu", rmw_qos_profile_default, rclcpp::SubscriptionOptions());
  Subscriber<Imu, OtherNode> qos(other, "imu", rclcpp::QoS(3));
  Subscriber<Imu> of_other_type(other, "imu", rclcpp::QoS(3));
  Subscriber<Imu> raw_of_other_type(other.get(), "imu", rclcpp::QoS(3), rclcpp::SubscriptionOptions());
  Subscriber<Imu> reference_of_other_type(*other, "imu", rclcpp::QoS(3));
  EXPECT_EQ(10U, shared.getSubscriber()->get_actual_qos().depth());
  EXPECT_EQ(3U, qos.getSubscriber()->get_actual_qos().depth());
  EXPECT_EQ(3U, of_other_type.getSubscriber()->get_actual_qos().depth());
  EXPECT_EQ(3U, raw_of_other_type.getSubscriber()->get_actual_qos().depth());
  counted(shared);
  node = other->node();
  EXPECT_TRUE(receives());
}

TEST_F(Fixture, it_subscribes_later_and_again)
{
  Subscriber<Imu> subscriber;
  counted(subscriber);
  subscriber.subscribe();
  EXPECT_EQ(nullptr, subscriber.getSubscriber());
  subscriber.subscribe(node, "other");
  subscriber.subscribe(node, "imu", rclcpp::QoS(3));
  EXPECT_TRUE(receives());
  subscriber.unsubscribe();
  EXPECT_EQ(nullptr, subscriber.getSubscriber());
  subscriber.subscribe();
  EXPECT_EQ(3U, subscriber.getSubscriber()->get_actual_qos().depth());
  EXPECT_TRUE(receives());
  subscriber.subscribe(node.get(), "");
  EXPECT_EQ(nullptr, subscriber.getSubscriber());
}

TEST_F(Fixture, it_does_not_keep_the_node)
{
  auto other = std::make_shared<rclcpp::Node>("other");
  const std::weak_ptr<rclcpp::Node> weak = other;
  Subscriber<Imu> subscriber(other, "imu", rclcpp::QoS(3), rclcpp::SubscriptionOptions());
  subscriber.unsubscribe();
  other.reset();
  EXPECT_TRUE(weak.expired());
  EXPECT_THROW(subscriber.subscribe(), std::runtime_error);
}

TEST_F(Fixture, a_callback_may_end_its_subscription)
{
  Subscriber<Imu> subscriber(node, "imu");
  subscriber.registerCallback([&subscriber](const Imu &) {subscriber.unsubscribe();});
  counted(subscriber);
  EXPECT_TRUE(receives());
  EXPECT_EQ(nullptr, subscriber.getSubscriber());
  auto owned = std::make_unique<Subscriber<Imu>>(node, "imu");
  owned->registerCallback(
    [this, &owned](const Imu &) {
      ++count;
      owned.reset();
    });
  EXPECT_TRUE(receives());
}

TEST_F(Fixture, it_is_an_input_of_other_filters)
{
  using Policy = message_filters::sync_policies::ApproximateTime<Image, Imu>;
  const auto images = node->create_publisher<Image>("image", 10);
  Subscriber<Image> image(node, "image");
  Subscriber<Imu> imu(node, "imu");
  message_filters::Synchronizer<Policy> pairs(Policy(10), image, imu);
  int sets = 0;
  pairs.registerCallback([&sets](const Image::ConstSharedPtr &, const Imu::ConstSharedPtr &) {++sets;});
  message_filters::Cache<Imu> cache(imu, 3);
  message_filters::Chain<Imu> chain;
  chain.addFilter(std::make_shared<Subscriber<Imu>>(node, "imu"));
  counted(chain);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  for (int second = 1; sets == 0 && std::chrono::steady_clock::now() < end; ++second) {
    Image left;
    Imu right;
    left.header.stamp.sec = right.header.stamp.sec = second;
    images->publish(left);
    publisher->publish(right);
    rclcpp::spin_some(node);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_GT(sets, 0);
  EXPECT_GT(count, 0);
  EXPECT_GT(cache.getLatestTime().nanoseconds(), 0);
}

}  // namespace
