#ifndef RCLCPP__NODE_OPTIONS_HPP_
#define RCLCPP__NODE_OPTIONS_HPP_

#include <string>
#include <vector>

#include "rcl/allocator.h"
#include "rcl/node_options.h"
#include "rcl/time.h"
#include "rclcpp/context.hpp"
#include "rclcpp/contexts/default_context.hpp"
#include "rclcpp/parameter.hpp"
#include "rclcpp/publisher_options.hpp"
#include "rclcpp/qos.hpp"
#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{

/// Defines an option: a function that reads it, and one that sets it.
#define RCLCPP_DETAIL_OPTION(type, name, value) \
private: \
  type name ## _ = value; \
 \
public: \
  const type & name() const {return name ## _;} \
  NodeOptions & name(const type & new_value) \
  { \
    name ## _ = new_value; \
    return *this; \
  }

#define RCLCPP_DETAIL_FLAG(name, value) \
private: \
  bool name ## _ = value; \
 \
public: \
  bool name() const {return name ## _;} \
  NodeOptions & name(bool new_value) \
  { \
    name ## _ = new_value; \
    return *this; \
  }

/// The options of a node.
class RCLCPP_PUBLIC NodeOptions
{
public:
  explicit NodeOptions(rcl_allocator_t allocator = rcl_get_default_allocator())
  : allocator_(allocator) {}
  NodeOptions(const NodeOptions &) = default;
  NodeOptions & operator=(const NodeOptions &) = default;
  virtual ~NodeOptions() = default;

  rclcpp::Context::SharedPtr context() const {return context_;}
  NodeOptions & context(rclcpp::Context::SharedPtr context)
  {
    context_ = context;
    return *this;
  }

  /// The arguments of this node only, with --ros-args.
  RCLCPP_DETAIL_OPTION(std::vector<std::string>, arguments, {})

  /// The values that parameters get instead of their defaults.
  std::vector<rclcpp::Parameter> & parameter_overrides() {return parameter_overrides_;}
  const std::vector<rclcpp::Parameter> & parameter_overrides() const {return parameter_overrides_;}
  NodeOptions & parameter_overrides(const std::vector<rclcpp::Parameter> & parameter_overrides)
  {
    parameter_overrides_ = parameter_overrides;
    return *this;
  }
  template<typename ParameterT>
  NodeOptions & append_parameter_override(const std::string & name, const ParameterT & value)
  {
    parameter_overrides_.emplace_back(name, rclcpp::ParameterValue(value));
    return *this;
  }

  /// Whether the arguments of the context are for this node too.
  RCLCPP_DETAIL_FLAG(use_global_arguments, true)
  RCLCPP_DETAIL_FLAG(enable_rosout, true)
  /// Whether the endpoints of the node exchange messages within the process as pointers.
  RCLCPP_DETAIL_FLAG(use_intra_process_comms, false)
  RCLCPP_DETAIL_FLAG(enable_topic_statistics, false)
  RCLCPP_DETAIL_FLAG(start_parameter_services, true)
  RCLCPP_DETAIL_FLAG(start_parameter_event_publisher, true)
  RCLCPP_DETAIL_FLAG(enable_logger_service, false)
  RCLCPP_DETAIL_FLAG(use_clock_thread, true)
  RCLCPP_DETAIL_FLAG(allow_undeclared_parameters, false)
  RCLCPP_DETAIL_FLAG(automatically_declare_parameters_from_overrides, false)
  RCLCPP_DETAIL_OPTION(rcl_clock_type_t, clock_type, RCL_ROS_TIME)
  RCLCPP_DETAIL_OPTION(rclcpp::QoS, clock_qos, rclcpp::ClockQoS())
  RCLCPP_DETAIL_OPTION(rclcpp::QoS, parameter_event_qos, rclcpp::ParameterEventsQoS())
  RCLCPP_DETAIL_OPTION(rclcpp::QoS, rosout_qos, rclcpp::RosoutQoS())
  RCLCPP_DETAIL_OPTION(
    rclcpp::PublisherOptionsBase, parameter_event_publisher_options, rclcpp::PublisherOptionsBase())

public:
  const rcl_allocator_t & allocator() const {return allocator_;}
  NodeOptions & allocator(rcl_allocator_t allocator)
  {
    allocator_ = allocator;
    return *this;
  }

  /// Returns the options in the form of C: valid until the next call, and without the arguments.
  const rcl_node_options_t * get_rcl_node_options() const
  {
    rcl_options_ = rcl_node_get_default_options();
    rcl_options_.allocator = allocator_;
    rcl_options_.use_global_arguments = use_global_arguments_;
    rcl_options_.enable_rosout = enable_rosout_;
    rcl_options_.rosout_qos = rosout_qos_.get_rmw_qos_profile();
    return &rcl_options_;
  }

private:
  rclcpp::Context::SharedPtr context_ = rclcpp::contexts::get_global_default_context();
  std::vector<rclcpp::Parameter> parameter_overrides_;
  rcl_allocator_t allocator_;
  mutable rcl_node_options_t rcl_options_ = rcl_node_get_default_options();
};

#undef RCLCPP_DETAIL_OPTION
#undef RCLCPP_DETAIL_FLAG

}  // namespace rclcpp

#endif  // RCLCPP__NODE_OPTIONS_HPP_
