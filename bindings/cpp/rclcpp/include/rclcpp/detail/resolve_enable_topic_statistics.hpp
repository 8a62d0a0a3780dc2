#ifndef RCLCPP__DETAIL__RESOLVE_ENABLE_TOPIC_STATISTICS_HPP_
#define RCLCPP__DETAIL__RESOLVE_ENABLE_TOPIC_STATISTICS_HPP_

#include <stdexcept>

#include "rclcpp/topic_statistics_state.hpp"

namespace rclcpp::detail
{

/// Whether a subscription is measured.
/// \throws std::runtime_error if the state has no known value
template<typename OptionsT, typename NodeBaseT>
bool resolve_enable_topic_statistics(const OptionsT & options, const NodeBaseT & node_base)
{
  switch (options.topic_stats_options.state) {
    case TopicStatisticsState::Enable:
      return true;
    case TopicStatisticsState::Disable:
      return false;
    case TopicStatisticsState::NodeDefault:
      return node_base.get_enable_topic_statistics_default();
  }
  throw std::runtime_error("Unrecognized EnableTopicStatistics value");
}

}  // namespace rclcpp::detail

#endif  // RCLCPP__DETAIL__RESOLVE_ENABLE_TOPIC_STATISTICS_HPP_
