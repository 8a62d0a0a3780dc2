// The services with which others read and set the levels of loggers.
#ifndef LOGGER_SERVICES_HPP_
#define LOGGER_SERVICES_HPP_

#include <memory>
#include <vector>

namespace rclcpp
{

class ServiceBase;

namespace detail
{

class NodeCore;

/// Makes the services ~/get_logger_levels and ~/set_logger_levels of a node.
std::vector<std::shared_ptr<ServiceBase>> create_logger_services(const std::shared_ptr<NodeCore> & node);

}  // namespace detail
}  // namespace rclcpp

#endif  // LOGGER_SERVICES_HPP_
