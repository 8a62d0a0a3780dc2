// Statistics about the messages of a subscription.

#include <cmath>
#include <map>

#include "fixture.hpp"
#include "statistics_msgs/msg/metrics_message.hpp"
#include "statistics_msgs/msg/statistic_data_type.hpp"

namespace
{

using std_msgs::msg::String;
using statistics_msgs::msg::MetricsMessage;
using Type = statistics_msgs::msg::StatisticDataType;

class TopicStatistics : public WithContext
{
protected:
  /// Collects the statistics of a topic by the name of their metric.
  static rclcpp::Subscription<MetricsMessage>::SharedPtr collect(
    rclcpp::Node & node, const std::string & topic, std::map<std::string, std::vector<MetricsMessage>> & collected)
  {
    return node.create_subscription<MetricsMessage>(
      topic, 100,
      [&collected](const MetricsMessage & message) {collected[message.metrics_source].push_back(message);});
  }

  static double figure(const MetricsMessage & message, uint8_t type)
  {
    for (const auto & point : message.statistics) {
      if (point.data_type == type) {
        return point.data;
      }
    }
    ADD_FAILURE() << "no figure of type " << int{type};
    return std::nan("");
  }
};

TEST_F(TopicStatistics, a_subscription_publishes_the_age_and_the_period_of_its_messages)
{
  auto node = new_node();
  std::map<std::string, std::vector<MetricsMessage>> collected;
  auto collector = collect(*node, "figures", collected);
  rclcpp::SubscriptionOptions options;
  options.topic_stats_options.state = rclcpp::TopicStatisticsState::Enable;
  options.topic_stats_options.publish_topic = "figures";
  options.topic_stats_options.publish_period = 50ms;
  size_t received = 0;
  auto subscription = node->create_subscription<String>("chatter", 10, [&](const String &) {++received;}, options);
  auto publisher = node->create_publisher<String>("chatter", 10);

  // How many values the figures of a metric stand for.
  const auto count_of = [&](const std::string & metric) {
      double count = 0;
      for (const auto & message : collected[metric]) {
        count += figure(message, Type::STATISTICS_DATA_TYPE_SAMPLE_COUNT);
      }
      return static_cast<int>(count);
    };
  for (int i = 0; i < 3; ++i) {
    publisher->publish(text("hello"));
  }
  // Three messages have two periods.
  ASSERT_TRUE(
    spin_until(
      node, [&] {
        return count_of("message_age") == 3 && count_of("message_period") == 2 && collected["message_age"].size() > 2;
      }));
  EXPECT_EQ(3u, received);

  for (const auto & message : collected["message_age"]) {
    EXPECT_EQ(node->get_name(), message.measurement_source_name);
    EXPECT_EQ("ms", message.unit);
    EXPECT_EQ(5u, message.statistics.size());
    EXPECT_LT(rclcpp::Time(message.window_start), rclcpp::Time(message.window_stop));
    const double count = figure(message, Type::STATISTICS_DATA_TYPE_SAMPLE_COUNT);
    if (count > 0) {
      const double average = figure(message, Type::STATISTICS_DATA_TYPE_AVERAGE);
      EXPECT_LT(0, average);
      EXPECT_GT(10'000, average);
      EXPECT_LE(figure(message, Type::STATISTICS_DATA_TYPE_MINIMUM), average);
      EXPECT_GE(figure(message, Type::STATISTICS_DATA_TYPE_MAXIMUM), average);
      EXPECT_LE(0, figure(message, Type::STATISTICS_DATA_TYPE_STDDEV));
    } else {
      EXPECT_TRUE(std::isnan(figure(message, Type::STATISTICS_DATA_TYPE_AVERAGE)));
      EXPECT_TRUE(std::isnan(figure(message, Type::STATISTICS_DATA_TYPE_STDDEV)));
    }
  }
  for (const auto & message : collected["message_period"]) {
    EXPECT_EQ("ms", message.unit);
    if (figure(message, Type::STATISTICS_DATA_TYPE_SAMPLE_COUNT) > 0) {
      EXPECT_LE(0, figure(message, Type::STATISTICS_DATA_TYPE_MINIMUM));
      EXPECT_GT(10'000, figure(message, Type::STATISTICS_DATA_TYPE_MAXIMUM));
    }
  }
}

TEST_F(TopicStatistics, a_node_enables_them_for_its_subscriptions)
{
  auto node = new_node(rclcpp::NodeOptions().enable_topic_statistics(true));
  EXPECT_TRUE(node->get_node_base_interface()->get_enable_topic_statistics_default());
  auto subscription = node->create_subscription<String>("chatter", 10, [](const String &) {});
  EXPECT_EQ(1u, node->count_publishers("/statistics"));

  rclcpp::SubscriptionOptions options;
  options.topic_stats_options.state = rclcpp::TopicStatisticsState::Disable;
  auto other = node->create_subscription<String>("chatter", 10, [](const String &) {}, options);
  EXPECT_EQ(1u, node->count_publishers("/statistics"));
  subscription.reset();
  EXPECT_EQ(0u, node->count_publishers("/statistics"));
}

TEST_F(TopicStatistics, a_period_must_be_positive)
{
  auto node = new_node();
  rclcpp::SubscriptionOptions options;
  options.topic_stats_options.state = rclcpp::TopicStatisticsState::Enable;
  options.topic_stats_options.publish_period = 0ms;
  EXPECT_THROW(
    node->create_subscription<String>("chatter", 10, [](const String &) {}, options), std::invalid_argument);
}

TEST_F(TopicStatistics, messages_that_are_passed_as_pointers_are_measured_too)
{
  auto node = new_node(rclcpp::NodeOptions().use_intra_process_comms(true));
  std::map<std::string, std::vector<MetricsMessage>> collected;
  auto collector = collect(*node, "figures", collected);
  rclcpp::SubscriptionOptions options;
  options.topic_stats_options.state = rclcpp::TopicStatisticsState::Enable;
  options.topic_stats_options.publish_topic = "figures";
  options.topic_stats_options.publish_period = 50ms;
  auto subscription = node->create_subscription<String>("chatter", 10, [](const String &) {}, options);
  auto publisher = node->create_publisher<String>("chatter", 10);
  publisher->publish(text("hello"));
  ASSERT_TRUE(
    spin_until(
      node, [&] {
        const auto & ages = collected["message_age"];
        return !ages.empty() && figure(ages.front(), Type::STATISTICS_DATA_TYPE_SAMPLE_COUNT) == 1;
      }));
}

}  // namespace
