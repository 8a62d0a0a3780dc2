#ifndef RCLCPP__PARAMETER_MAP_HPP_
#define RCLCPP__PARAMETER_MAP_HPP_

#include <string>
#include <unordered_map>
#include <vector>

#include "rcl_yaml_param_parser/types.h"
#include "rclcpp/exceptions.hpp"
#include "rclcpp/parameter.hpp"
#include "rclcpp/parameter_value.hpp"
#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{

/// Parameters by the full names of their nodes. A name may have wildcards: `/**` and `*`.
using ParameterMap = std::unordered_map<std::string, std::vector<Parameter>>;

/// Returns the parameters of one node, or of all nodes if there is no name. A name of a node without a slash at its begin gets one.
/// \throws rclcpp::exceptions::InvalidParametersException if a pointer is null;
///   rclcpp::exceptions::InvalidParameterValueException if a parameter has no value
RCLCPP_PUBLIC ParameterMap parameter_map_from(const rcl_params_t * const c_params, const char * node_fqn = nullptr);

/// Returns a value.
/// \throws rclcpp::exceptions::InvalidParameterValueException if there is none
RCLCPP_PUBLIC ParameterValue parameter_value_from(const rcl_variant_t * const c_value);

/// Reads the parameters of a YAML file: those of one node, or all if there is no name.
/// \throws std::runtime_error if the file can't be read, with the number of the line
RCLCPP_PUBLIC ParameterMap parameter_map_from_yaml_file(
  const std::string & yaml_filename, const char * node_fqn = nullptr);

/// Returns the parameters of one node, or of all nodes if there is no name. Those of a name without wildcards come last, so that
/// they win.
RCLCPP_PUBLIC std::vector<Parameter> parameters_from_map(
  const ParameterMap & parameter_map, const char * node_fqn = nullptr);

}  // namespace rclcpp

#endif  // RCLCPP__PARAMETER_MAP_HPP_
