// The same names in the other forms that packages use often.
#include "common.hpp"

#include "geometry_msgs/msg/point.hpp"
#include "geometry_msgs/msg/point_stamped.hpp"
#include "geometry_msgs/msg/pose.hpp"
#include "geometry_msgs/msg/pose_stamped.hpp"
#include "geometry_msgs/msg/vector3.hpp"
#include "message_filters/sync_policies/approximate_time.h"
#include "message_filters/synchronizer.h"
#include "std_srvs/srv/set_bool.hpp"
#include "tf2/utils.h"
#include "tf2_eigen/tf2_eigen.hpp"
#include "tf2_geometry_msgs/tf2_geometry_msgs.hpp"
#include "tf2_ros/static_transform_broadcaster.h"
#include "tf2_ros/transform_broadcaster.h"

/// A conversion that a package adds.
namespace tf2
{

inline void fromMsg(const geometry_msgs::msg::PoseStamped & message, tf2::Stamped<tf2::Transform> & out)
{
  out.stamp_ = tf2_ros::fromMsg(message.header.stamp);
  out.frame_id_ = message.header.frame_id;
  tf2::Transform transform;
  fromMsg(message.pose, transform);
  out.setData(transform);
}

}  // namespace tf2

namespace
{

using geometry_msgs::msg::PointStamped;
using SetBool = std_srvs::srv::SetBool;

class Forms : public WithNode {};

/// A node whose members are made in the list of its constructor, and whose callbacks get more arguments.
class Robot : public rclcpp::Node
{
public:
  explicit Robot(const rclcpp::NodeOptions & options)
  : rclcpp::Node("robot", "fleet", options), buffer_(get_clock()), listener_(buffer_), broadcaster_(this),
    static_broadcaster_(*this)
  {
    for (size_t index = 0; index < 2; ++index) {
      const std::function<void(Text::ConstSharedPtr)> callback =
        std::bind(&Robot::on_text, this, std::placeholders::_1, index);
      subscriptions_.push_back(create_subscription<Text>("text" + std::to_string(index), rclcpp::QoS{1}, callback));
      publishers_.push_back(create_publisher<Text>("text" + std::to_string(index), rclcpp::QoS{1}));
    }
    subscriptions_.push_back(
      create_subscription<Text>("text0", 1, std::bind(&Robot::on_text, this, std::placeholders::_1, 7)));
    service_ = create_service<SetBool>(
      "~/enable", [this](const SetBool::Request::SharedPtr request, SetBool::Response::SharedPtr response) -> void {
        is_enabled = request->data;
        response->success = true;
      });
    timer_ = rclcpp::create_timer(this, get_clock(), std::chrono::milliseconds(2), std::bind(&Robot::on_timer, this));
  }

  std::map<size_t, std::string> heard;
  bool is_enabled = false;

private:
  void on_text(const Text::ConstSharedPtr & message, size_t index) {heard[index] = message->data;}
  void on_timer()
  {
    for (auto & publisher : publishers_) {
      auto message = std::make_unique<Text>();
      message->data = publisher->get_topic_name();
      publisher->publish(std::move(message));
    }
    timer_->reset();
  }

  tf2_ros::Buffer buffer_;
  tf2_ros::TransformListener listener_;
  tf2_ros::TransformBroadcaster broadcaster_;
  tf2_ros::StaticTransformBroadcaster static_broadcaster_;
  std::vector<rclcpp::SubscriptionBase::SharedPtr> subscriptions_;
  std::vector<rclcpp::Publisher<Text>::SharedPtr> publishers_;
  rclcpp::Service<SetBool>::SharedPtr service_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace

TEST_F(Forms, a_node_is_made_as_a_component)
{
  auto robot = std::make_shared<Robot>(rclcpp::NodeOptions{}.arguments({"--ros-args", "-r", "text1:=/other"}));
  EXPECT_TRUE(spin_node_until(robot, [&] {return robot->heard.size() == 3;}));
  EXPECT_EQ(
    robot->heard, (std::map<size_t, std::string>{{0, "/fleet/text0"}, {1, "/other"}, {7, "/fleet/text0"}}));
  auto client = node->create_client<SetBool>("/fleet/robot/enable");
  auto request = std::make_shared<SetBool::Request>();
  request->data = true;
  while (!client->wait_for_service(std::chrono::seconds(1))) {
    ASSERT_TRUE(rclcpp::ok());
  }
  auto response = client->async_send_request(request).future.share();
  EXPECT_TRUE(spin_node_until(robot, [&] {return robot->is_enabled;}));
  ASSERT_EQ(
    rclcpp::spin_until_future_complete(node->get_node_base_interface(), response, std::chrono::seconds(10)),
    rclcpp::FutureReturnCode::SUCCESS);
  EXPECT_TRUE(response.get()->success);
}

TEST_F(Forms, interfaces_are_spun)
{
  int count = 0;
  auto timer = node->create_wall_timer(
    std::chrono::duration<double>(0.002), [&count]() {
      if (++count == 3) {
        rclcpp::shutdown();
      }
    });
  while (count == 0) {
    rclcpp::spin_some(node->get_node_base_interface());
  }
  rclcpp::spin(node->get_node_base_interface());
  EXPECT_EQ(count, 3);
}

TEST_F(Forms, profiles_of_rmw_are_given_for_services)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  auto group = node->create_callback_group(rclcpp::CallbackGroupType::MutuallyExclusive);
  auto service = node->create_service<SetBool>(
    "enable", [](const std::shared_ptr<SetBool::Request> request, std::shared_ptr<SetBool::Response> response) {
      response->success = request->data;
    }, rmw_qos_profile_services_default, group);
  auto client = node->create_client<SetBool>("enable", rmw_qos_profile_services_default, group);
  ASSERT_TRUE(client->wait_for_service(10s));
  auto request = std::make_shared<SetBool::Request>();
  request->data = true;
  rclcpp::Client<SetBool>::SharedFuture future = client->async_send_request(request);
  EXPECT_EQ(rclcpp::spin_until_future_complete(node, future), rclcpp::FutureReturnCode::SUCCESS);
  EXPECT_TRUE(future.get()->success);
#pragma GCC diagnostic pop
}

TEST_F(Forms, parameters_are_read_in_many_ways)
{
  const auto names = node->declare_parameter<std::vector<std::string>>("names", {"a", "b"});
  EXPECT_EQ(names.size(), 2u);
  EXPECT_EQ(node->declare_parameter<double>("speed", 1), 1.0);
  const std::string frame = node->declare_parameter("frame", "base");
  EXPECT_EQ(frame, "base");
  const size_t depth = node->declare_parameter<int64_t>("depth", 5);
  EXPECT_EQ(depth, 5u);
  const float gain = node->declare_parameter<float>("gain", 0.5f);
  EXPECT_EQ(gain, 0.5f);
  EXPECT_EQ(node->get_parameter("frame").get_parameter_value().get<std::string>(), "base");
  std::string read;
  node->get_parameter<std::string>("frame", read);
  EXPECT_EQ(read, "base");
  int count = 0;
  node->get_parameter_or<int>("count", count, 9);
  EXPECT_EQ(count, 9);
  EXPECT_EQ(node->get_parameter("names").get_value<std::vector<std::string>>(), names);
  EXPECT_EQ(node->get_parameters({"speed", "depth"}).at(1).as_int(), 5);
  rclcpp::Parameter parameter;
  ASSERT_TRUE(node->get_parameter("depth", parameter));
  EXPECT_EQ(rclcpp::to_string(parameter.get_type()), "integer");
  std::stringstream text;
  text << parameter;
  EXPECT_EQ(text.str(), "{\"name\": \"depth\", \"type\": \"integer\", \"value\": \"5\"}");
  node->set_parameters(std::vector<rclcpp::Parameter>{rclcpp::Parameter{"speed", rclcpp::ParameterValue{3.0}}});
  EXPECT_EQ(node->get_parameter("speed").as_double(), 3.0);
}

TEST_F(Forms, times_are_computed)
{
  PointStamped message;
  message.header.stamp = node->now();
  message.header.stamp = node->get_clock()->now() - rclcpp::Duration(std::chrono::seconds(2));
  const double age = (node->now() - message.header.stamp).seconds();
  EXPECT_GE(age, 2.0);
  EXPECT_LT(rclcpp::Time(message.header.stamp).seconds(), node->now().seconds());
  const auto period = rclcpp::Duration::from_seconds(0.5) * 2.0;
  EXPECT_EQ(period.to_chrono<std::chrono::nanoseconds>(), 1s);
  rclcpp::Time last = rclcpp::Time(0, 0, node->get_clock()->get_clock_type());
  EXPECT_GT(node->now() - last, period);
  last = node->now();
  last += period;
  EXPECT_GT(last.nanoseconds(), node->now().nanoseconds());
  const rclcpp::Rate rate(10.0);
  EXPECT_EQ(rate.period(), 100ms);
  RCLCPP_INFO_THROTTLE(node->get_logger(), *node->get_clock(), 1000, "at %f", last.seconds());
}

TEST_F(Forms, positions_are_converted)
{
  geometry_msgs::msg::Point point;
  point.x = 1.0;
  tf2::Vector3 vector;
  tf2::fromMsg(point, vector);
  EXPECT_EQ(vector.x(), 1.0);
  const geometry_msgs::msg::Vector3 message = tf2::toMsg(vector);
  EXPECT_EQ(message.x, 1.0);
  geometry_msgs::msg::Pose pose;
  pose.position = point;
  pose.orientation.w = 1.0;
  Eigen::Isometry3d isometry;
  tf2::fromMsg(pose, isometry);
  EXPECT_EQ(isometry.translation().x(), 1.0);
  Eigen::Affine3d affine;
  tf2::fromMsg(pose, affine);
  const geometry_msgs::msg::Pose back = tf2::toMsg(isometry);
  EXPECT_EQ(back, pose);
  tf2::Transform transform;
  tf2::fromMsg(pose, transform);
  EXPECT_EQ(transform.getOrigin().getX(), 1.0);
  EXPECT_EQ(tf2::getYaw(pose.orientation), 0.0);
}

TEST_F(Forms, conversions_of_packages_are_found)
{
  geometry_msgs::msg::PoseStamped message;
  message.header.frame_id = "base";
  message.pose.position.y = 2.0;
  tf2::Stamped<tf2::Transform> converted;
  tf2::convert(message, converted);
  EXPECT_EQ(converted.frame_id_, "base");
  EXPECT_EQ(converted.getOrigin().y(), 2.0);
  tf2::fromMsg(message, converted);
  EXPECT_EQ(converted.getRotation().w(), 1.0);
}

TEST_F(Forms, lifecycle_nodes_are_given_to_filters_and_listeners)
{
  using Node = rclcpp_lifecycle::LifecycleNode;
  using Policy = message_filters::sync_policies::ApproximateTime<PointStamped, PointStamped>;
  auto lifecycle_node = std::make_shared<Node>("managed");
  auto buffer = std::make_shared<tf2_ros::Buffer>(lifecycle_node->get_clock());
  tf2_ros::TransformListener listener(*buffer, lifecycle_node);
  tf2_ros::TransformBroadcaster broadcaster(lifecycle_node);
  message_filters::Subscriber<PointStamped, Node> left;
  left.subscribe(lifecycle_node.get(), "left", rclcpp::SensorDataQoS().get_rmw_qos_profile());
  message_filters::Subscriber<PointStamped, Node> right(lifecycle_node, "right");
  message_filters::Synchronizer<Policy> synchronizer(Policy(5), left, right);
  int count = 0;
  synchronizer.registerCallback(
    std::function<void(PointStamped::ConstSharedPtr, PointStamped::ConstSharedPtr)>([&](auto, auto) {++count;}));
  auto left_publisher = node->create_publisher<PointStamped>("left", 10);
  auto right_publisher = node->create_publisher<PointStamped>("right", 10);
  PointStamped message;
  message.header.stamp = rclcpp::Time(1, 0);
  left_publisher->publish(message);
  right_publisher->publish(message);
  EXPECT_TRUE(spin_node_until(lifecycle_node, [&] {return count == 1;}));
}
