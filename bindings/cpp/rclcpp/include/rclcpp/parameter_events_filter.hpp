#ifndef RCLCPP__PARAMETER_EVENTS_FILTER_HPP_
#define RCLCPP__PARAMETER_EVENTS_FILTER_HPP_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rcl_interfaces/msg/parameter.hpp"
#include "rcl_interfaces/msg/parameter_event.hpp"
#include "rclcpp/macros.hpp"
#include "rclcpp/parameter.hpp"
#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{

/// The changes of some parameters in an event.
class RCLCPP_PUBLIC ParameterEventsFilter
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(ParameterEventsFilter)

  enum class EventType {NEW, DELETED, CHANGED};
  /// What has happened, and to which parameter of the event.
  using EventPair = std::pair<EventType, const rcl_interfaces::msg::Parameter *>;

  ParameterEventsFilter(
    std::shared_ptr<const rcl_interfaces::msg::ParameterEvent> event, const std::vector<std::string> & names,
    const std::vector<EventType> & types);

  /// Returns the changes. They are valid as long as the filter.
  const std::vector<EventPair> & get_events() const {return result_;}

private:
  std::vector<EventPair> result_;
  std::shared_ptr<const rcl_interfaces::msg::ParameterEvent> event_;
};

}  // namespace rclcpp

#endif  // RCLCPP__PARAMETER_EVENTS_FILTER_HPP_
