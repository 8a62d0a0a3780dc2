#ifndef RCLCPP__PARAMETER_MAP_HPP_
#define RCLCPP__PARAMETER_MAP_HPP_

#include <string>
#include <unordered_map>
#include <vector>

#include "rclcpp/exceptions.hpp"
#include "rclcpp/parameter.hpp"
#include "rclcpp/parameter_value.hpp"
#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{

/// Parameters by the full names of their nodes. A name may have wildcards: `/**` and `*`.
using ParameterMap = std::unordered_map<std::string, std::vector<Parameter>>;

/// Reads the parameters of a YAML file: those of one node, or all if there is no name.
/// \throws std::runtime_error if the file can't be read, with the number of the line
RCLCPP_PUBLIC ParameterMap parameter_map_from_yaml_file(
  const std::string & yaml_filename, const char * node_fqn = nullptr);

/// Returns the parameters of one node, or of all nodes if there is no name.
RCLCPP_PUBLIC std::vector<Parameter> parameters_from_map(
  const ParameterMap & parameter_map, const char * node_fqn = nullptr);

}  // namespace rclcpp

#endif  // RCLCPP__PARAMETER_MAP_HPP_
