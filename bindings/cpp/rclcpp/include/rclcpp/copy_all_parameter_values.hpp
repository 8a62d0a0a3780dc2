#ifndef RCLCPP__COPY_ALL_PARAMETER_VALUES_HPP_
#define RCLCPP__COPY_ALL_PARAMETER_VALUES_HPP_

#include <string>
#include <vector>

#include "rclcpp/logging.hpp"
#include "rclcpp/parameter.hpp"

namespace rclcpp
{

/// Declares the parameters of a node for another one, with their values. Those that the other one has are set if
/// `override_existing_params` is true. A value that is refused is a warning.
template<typename NodeT1, typename NodeT2>
void copy_all_parameter_values(
  const NodeT1 & source, const NodeT2 & destination, const bool override_existing_params = false)
{
  const auto from = source->get_node_parameters_interface();
  const auto to = destination->get_node_parameters_interface();
  const auto names = from->list_parameters({}, 0).names;
  const auto parameters = from->get_parameters(names);
  const auto descriptors = from->describe_parameters(names);
  for (size_t index = 0; index < names.size(); ++index) {
    if (!to->has_parameter(names[index])) {
      to->declare_parameter(names[index], parameters[index].get_parameter_value(), descriptors[index]);
    } else if (override_existing_params) {
      const auto result = to->set_parameters_atomically({parameters[index]});
      if (!result.successful) {
        RCLCPP_WARN(
          get_logger("copy_all_parameter_values"), "Unable to set parameter (%s): %s!", names[index].c_str(),
          result.reason.c_str());
      }
    }
  }
}

}  // namespace rclcpp

#endif  // RCLCPP__COPY_ALL_PARAMETER_VALUES_HPP_
