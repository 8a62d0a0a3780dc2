#ifndef RCLCPP__TOPIC_STATISTICS_STATE_HPP_
#define RCLCPP__TOPIC_STATISTICS_STATE_HPP_

namespace rclcpp
{

/// Whether statistics about the messages of a topic are published.
enum class TopicStatisticsState
{
  Enable,
  Disable,
  /// As `NodeOptions::enable_topic_statistics()` says.
  NodeDefault,
};

}  // namespace rclcpp

#endif  // RCLCPP__TOPIC_STATISTICS_STATE_HPP_
