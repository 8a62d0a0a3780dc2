#include "topic_statistics.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "rclcpp/create_timer.hpp"
#include "rclcpp/time.hpp"
#include "statistics_msgs/msg/statistic_data_type.hpp"

namespace rclcpp::detail
{
namespace
{

int64_t now()
{
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since_1970).count();
}

double milliseconds(int64_t nanoseconds) {return static_cast<double>(nanoseconds) / 1e6;}

}  // namespace

void Figures::add(double value)
{
  ++count_;
  const double from_old_mean = value - mean_;
  mean_ += from_old_mean / static_cast<double>(count_);
  squares_ += from_old_mean * (value - mean_);
  least_ = count_ == 1 ? value : std::min(least_, value);
  greatest_ = count_ == 1 ? value : std::max(greatest_, value);
}

void Figures::write(std::vector<statistics_msgs::msg::StatisticDataPoint> & points) const
{
  using Type = statistics_msgs::msg::StatisticDataType;
  const auto put = [&points](uint8_t type, double value) {
      statistics_msgs::msg::StatisticDataPoint point;
      point.data_type = type;
      point.data = value;
      points.push_back(point);
    };
  const auto count = static_cast<double>(count_);
  const auto known = [this](double value) {return count_ > 0 ? value : std::numeric_limits<double>::quiet_NaN();};
  put(Type::STATISTICS_DATA_TYPE_AVERAGE, known(mean_));
  put(Type::STATISTICS_DATA_TYPE_MAXIMUM, known(greatest_));
  put(Type::STATISTICS_DATA_TYPE_MINIMUM, known(least_));
  put(Type::STATISTICS_DATA_TYPE_SAMPLE_COUNT, count);
  put(Type::STATISTICS_DATA_TYPE_STDDEV, count_ > 0 ? std::sqrt(squares_ / count) : known(0));
}

TopicStatistics::TopicStatistics(
  node_interfaces::NodeBaseInterface & node, const SubscriptionOptionsBase::TopicStatisticsOptions & options,
  const CallbackGroup::SharedPtr & group)
: node_name_(node.get_name()), window_start_(now())
{
  if (options.publish_period <= std::chrono::milliseconds(0)) {
    throw std::invalid_argument(
            "topic_stats_options.publish_period must be greater than 0, specified value of " +
            std::to_string(options.publish_period.count()) + " ms");
  }
  publisher_ =
    std::make_shared<Publisher<Message>>(&node, options.publish_topic, options.qos, rclcpp::PublisherOptions());
  publisher_->open();
  auto tick = [this] {publish();};
  timer_ = start<TimerBase>(
    std::make_shared<WallTimer<decltype(tick)>>(options.publish_period, std::move(tick)), &node, group);
}

// The timer first: its callback uses the publisher.
TopicStatistics::~TopicStatistics()
{
  timer_.reset();
  publisher_->close();
}

void TopicStatistics::note(int64_t published)
{
  const int64_t time = now();
  std::lock_guard<std::mutex> lock(mutex_);
  if (published != 0) {
    age_.add(milliseconds(time - published));
  }
  if (last_ != 0) {
    period_.add(milliseconds(time - last_));
  }
  last_ = time;
}

void TopicStatistics::publish()
{
  const int64_t time = now();
  Message age;
  Message period;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    age_.write(age.statistics);
    period_.write(period.statistics);
    age_.clear();
    period_.clear();
    age.window_start = period.window_start = rclcpp::Time(window_start_);
    window_start_ = time;
  }
  age.metrics_source = "message_age";
  period.metrics_source = "message_period";
  for (Message * message : {&age, &period}) {
    message->measurement_source_name = node_name_;
    message->unit = "ms";
    message->window_stop = rclcpp::Time(time);
    publisher_->publish(*message);
  }
}

}  // namespace rclcpp::detail
