// A client looks up transforms in the buffer of a server.
#include <thread>

#include "fixture.hpp"
#include "tf2_ros/buffer.h"
#include "tf2_ros/buffer_client.h"
#include "tf2_ros/buffer_server.h"

class BufferServerTest : public NodeTest
{
protected:
  void SetUp() override
  {
    NodeTest::SetUp();
    buffer = std::make_unique<tf2_ros::Buffer>(node->get_clock());
    server = std::make_unique<tf2_ros::BufferServer>(*buffer, node, "tf_action");
    asker = std::make_shared<rclcpp::Node>("asker");
    client = std::make_unique<tf2_ros::BufferClient>(asker, "tf_action");
    executor = std::make_unique<rclcpp::executors::SingleThreadedExecutor>();
    executor->add_node(node);
    executor->add_node(asker);
    spinner = std::thread([this] {executor->spin();});
    // A cancel before the spin would have no effect.
    while (!executor->is_spinning()) {
      std::this_thread::yield();
    }
    ASSERT_TRUE(client->waitForServer(tf2::durationFromSec(10)));
  }

  void TearDown() override
  {
    executor->cancel();
    spinner.join();
    executor.reset();
    client.reset();
    server.reset();
    buffer.reset();
    asker.reset();
    NodeTest::TearDown();
  }

  std::unique_ptr<rclcpp::executors::SingleThreadedExecutor> executor;
  std::thread spinner;
  std::unique_ptr<tf2_ros::Buffer> buffer;
  std::unique_ptr<tf2_ros::BufferServer> server;
  rclcpp::Node::SharedPtr asker;
  std::unique_ptr<tf2_ros::BufferClient> client;
};

TEST_F(BufferServerTest, what_is_known_is_answered_at_once)
{
  buffer->setTransform(translated("a", "b", 2.0, rclcpp::Time(1, 0)), "test");
  const auto found = client->lookupTransform("a", "b", tf2::TimePointZero);
  EXPECT_DOUBLE_EQ(2.0, found.transform.translation.x);
  EXPECT_TRUE(client->canTransform("a", "b", tf2::TimePointZero));
  const auto across = client->lookupTransform("a", tf2::TimePointZero, "b", tf2::TimePointZero, "a");
  EXPECT_DOUBLE_EQ(2.0, across.transform.translation.x);
}

TEST_F(BufferServerTest, errors_have_the_class_and_the_text_of_the_buffer)
{
  std::string reason;
  EXPECT_THROW(client->lookupTransform("a", "b", tf2::TimePointZero), tf2::LookupException);
  EXPECT_FALSE(client->canTransform("a", "b", tf2::TimePointZero, tf2::durationFromSec(0), &reason));
  EXPECT_NE(std::string::npos, reason.find("\"a\"")) << reason;
  buffer->setTransform(translated("a", "b", 2.0, rclcpp::Time(1, 0)), "test");
  buffer->setTransform(translated("c", "d", 2.0, rclcpp::Time(1, 0)), "test");
  EXPECT_THROW(client->lookupTransform("a", "c", tf2::TimePointZero), tf2::ConnectivityException);
  const tf2::TimePoint later(std::chrono::seconds(5));
  EXPECT_THROW(client->lookupTransform("a", "b", later), tf2::ExtrapolationException);
}

TEST_F(BufferServerTest, a_lookup_waits_for_a_transform)
{
  std::thread setter([this] {
      buffer->setTransform(translated("a", "b", 3.0, rclcpp::Time(1, 0)), "test");
    });
  const auto found = client->lookupTransform("a", "b", tf2::TimePointZero, tf2::durationFromSec(10));
  setter.join();
  EXPECT_DOUBLE_EQ(3.0, found.transform.translation.x);
}

TEST_F(BufferServerTest, a_wait_ends_with_its_timeout)
{
  EXPECT_THROW(
    client->lookupTransform("a", "b", tf2::TimePointZero, tf2::durationFromSec(0.05)), tf2::LookupException);
}

TEST_F(BufferServerTest, a_client_without_a_server_says_so)
{
  tf2_ros::BufferClient alone(asker, "nobody");
  EXPECT_FALSE(alone.waitForServer());
  EXPECT_THROW(alone.lookupTransform("a", "b", tf2::TimePointZero), tf2::ConnectivityException);
}
