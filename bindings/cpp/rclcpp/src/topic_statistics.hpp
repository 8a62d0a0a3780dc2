#ifndef TOPIC_STATISTICS_HPP_
#define TOPIC_STATISTICS_HPP_

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "rclcpp/publisher.hpp"
#include "rclcpp/subscription_options.hpp"
#include "rclcpp/timer.hpp"
#include "statistics_msgs/msg/metrics_message.hpp"

namespace rclcpp::detail
{

/// Mean, extremes and standard deviation of values that are added one by one, by Welford's method.
class Figures
{
public:
  void add(double value);
  void clear() {*this = Figures();}
  /// Writes the figures. All but the count are NaN if there was no value.
  void write(std::vector<statistics_msgs::msg::StatisticDataPoint> & points) const;

private:
  uint64_t count_ = 0;
  double mean_ = 0;
  double least_ = 0;
  double greatest_ = 0;
  double squares_ = 0;
};

/// Measures the messages of a subscription, and publishes figures about them: their age, and the time between two.
class TopicStatistics
{
public:
  using Message = statistics_msgs::msg::MetricsMessage;

  /// \throws std::invalid_argument if the period is not positive
  TopicStatistics(
    node_interfaces::NodeBaseInterface & node, const SubscriptionOptionsBase::TopicStatisticsOptions & options,
    const CallbackGroup::SharedPtr & group);
  ~TopicStatistics();

  /// Notes a message that was published at a time, or at an unknown time if it is 0. All times are nanoseconds since 1970.
  void note(int64_t published);

private:
  void publish();

  std::string node_name_;
  std::shared_ptr<Publisher<Message>> publisher_;
  std::mutex mutex_;
  Figures age_;
  Figures period_;
  int64_t last_ = 0;
  int64_t window_start_;
  TimerBase::SharedPtr timer_;
};

}  // namespace rclcpp::detail

#endif  // TOPIC_STATISTICS_HPP_
