#include "logger_services.hpp"

#include <algorithm>

#include "node_core.hpp"
#include "rcl_interfaces/srv/get_logger_levels.hpp"
#include "rcl_interfaces/srv/set_logger_levels.hpp"
#include "rcutils/error_handling.h"

namespace rclcpp::detail
{
namespace
{

using Get = rcl_interfaces::srv::GetLoggerLevels;
using Set = rcl_interfaces::srv::SetLoggerLevels;

void get(const Get::Request::SharedPtr & request, const Get::Response::SharedPtr & response)
{
  for (const std::string & name : request->names) {
    rcl_interfaces::msg::LoggerLevel level;
    level.name = name;
    // The level that the logger has of its own, or 0, as in ROS 2.
    level.level = static_cast<uint32_t>(std::max(rcutils_logging_get_logger_level(name.c_str()), 0));
    response->levels.push_back(level);
  }
}

void set(const Set::Request::SharedPtr & request, const Set::Response::SharedPtr & response)
{
  for (const auto & level : request->levels) {
    rcl_interfaces::msg::SetLoggerLevelsResult result;
    result.successful = rcutils_logging_set_logger_level(level.name.c_str(), static_cast<int>(level.level)) == RCUTILS_RET_OK;
    if (!result.successful) {
      result.reason = rcutils_get_error_string().str;
      rcutils_reset_error();
    }
    response->results.push_back(result);
  }
}

}  // namespace

std::vector<ServiceBase::SharedPtr> create_logger_services(const std::shared_ptr<NodeCore> & node)
{
  return {
    create_service<Get>(node, node, "~/get_logger_levels", &get, ServicesQoS(), nullptr),
    create_service<Set>(node, node, "~/set_logger_levels", &set, ServicesQoS(), nullptr)};
}

}  // namespace rclcpp::detail
