#ifndef RCLCPP__INIT_OPTIONS_HPP_
#define RCLCPP__INIT_OPTIONS_HPP_

#include <cstdint>
#include <string>

#include "rcl/allocator.h"
#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{

/// The options of a context.
class RCLCPP_PUBLIC InitOptions
{
public:
  /// Whether a signal shuts the context down.
  bool shutdown_on_signal = true;
  /// The reason of a shutdown by a signal.
  std::string shutdown_reason = "signal handler";

  explicit InitOptions(rcl_allocator_t = rcl_get_default_allocator()) {}

  /// Whether init() sets up logging.
  bool auto_initialize_logging() const {return initialize_logging_;}
  InitOptions & auto_initialize_logging(bool initialize_logging)
  {
    initialize_logging_ = initialize_logging;
    return *this;
  }
  /// Uses the domain of ROS_DOMAIN_ID.
  void use_default_domain_id() {domain_id_ = DEFAULT_DOMAIN;}
  void set_domain_id(size_t domain_id) {domain_id_ = domain_id;}
  /// Returns the domain that was set, or SIZE_MAX for that of ROS_DOMAIN_ID.
  size_t get_domain_id() const {return domain_id_;}

private:
  static constexpr size_t DEFAULT_DOMAIN = SIZE_MAX;

  bool initialize_logging_ = true;
  size_t domain_id_ = DEFAULT_DOMAIN;
};

}  // namespace rclcpp

#endif  // RCLCPP__INIT_OPTIONS_HPP_
