#include "rclcpp/parameter_map.hpp"

#include <algorithm>
#include <memory>

#include "rcl_yaml_param_parser/parser.h"
#include "rcutils/error_handling.h"

namespace rclcpp
{
namespace
{

using Parts = std::vector<std::string>;

Parts parts_of(const std::string & name)
{
  Parts parts;
  size_t begin = 0;
  while (begin <= name.size()) {
    const size_t end = std::min(name.find('/', begin), name.size());
    if (end > begin) {
      parts.push_back(name.substr(begin, end - begin));
    }
    begin = end + 1;
  }
  return parts;
}

/// Whether a name is one that a pattern stands for: `*` is one part of a name, and `**` is any number of them.
bool matches(const Parts & pattern, size_t at, const Parts & name, size_t from)
{
  if (at == pattern.size()) {
    return from == name.size();
  }
  if (pattern[at] == "**") {
    for (size_t rest = from; rest <= name.size(); ++rest) {
      if (matches(pattern, at + 1, name, rest)) {
        return true;
      }
    }
    return false;
  }
  const bool is_same = from < name.size() && (pattern[at] == "*" || pattern[at] == name[from]);
  return is_same && matches(pattern, at + 1, name, from + 1);
}

/// Returns 2 for a name with `**`, 1 for one with `*`, and 0 for another one.
int width_of(const std::string & name)
{
  return name.find("**") != std::string::npos ? 2 : name.find('*') != std::string::npos ? 1 : 0;
}

template<typename Array>
auto elements_of(const Array & array)
{
  return std::vector<std::decay_t<decltype(*array.values)>>(array.values, array.values + array.size);
}

/// Returns a pointer of C that must not be null.
template<typename T>
T * existing(T * pointer, const std::string & name)
{
  if (pointer == nullptr) {
    throw exceptions::InvalidParametersException(name + " is NULL");
  }
  return pointer;
}

/// Adds the parameters of a node.
void add_parameters(const rcl_node_params_t & node, const std::string & name, std::vector<Parameter> & parameters)
{
  for (size_t index = 0; index < node.num_params; ++index) {
    const std::string at = "at node '" + name + "', index " + std::to_string(index) + ": ";
    const char * parameter = existing(existing(node.parameter_names, at + "the names")[index], at + "the name");
    const rcl_variant_t * value = existing(node.parameter_values, at + "the values") + index;
    parameters.emplace_back(std::string(parameter), parameter_value_from(value));
  }
}

}  // namespace

ParameterMap parameter_map_from(const rcl_params_t * const c_params, const char * node_fqn)
{
  existing(c_params, "the struct of parameters");
  existing(c_params->node_names, "node_names");
  existing(c_params->params, "params");
  ParameterMap map;
  for (size_t index = 0; index < c_params->num_nodes; ++index) {
    const char * given = existing(c_params->node_names[index], "the name of node " + std::to_string(index));
    const std::string name = *given == '/' ? given : std::string("/") + given;
    if (node_fqn == nullptr) {
      add_parameters(c_params->params[index], name, map[name]);
    } else if (matches(parts_of(name), 0, parts_of(node_fqn), 0)) {
      add_parameters(c_params->params[index], name, map[node_fqn]);
    }
  }
  return map;
}

ParameterValue parameter_value_from(const rcl_variant_t * const c_value)
{
  if (c_value == nullptr) {
    throw exceptions::InvalidParameterValueException("the value is NULL");
  }
  if (c_value->bool_value) {
    return ParameterValue(*c_value->bool_value);
  } else if (c_value->integer_value) {
    return ParameterValue(*c_value->integer_value);
  } else if (c_value->double_value) {
    return ParameterValue(*c_value->double_value);
  } else if (c_value->string_value) {
    return ParameterValue(std::string(c_value->string_value));
  } else if (c_value->byte_array_value) {
    return ParameterValue(elements_of(*c_value->byte_array_value));
  } else if (c_value->bool_array_value) {
    return ParameterValue(elements_of(*c_value->bool_array_value));
  } else if (c_value->integer_array_value) {
    return ParameterValue(elements_of(*c_value->integer_array_value));
  } else if (c_value->double_array_value) {
    return ParameterValue(elements_of(*c_value->double_array_value));
  } else if (c_value->string_array_value) {
    const rcutils_string_array_t & array = *c_value->string_array_value;
    return ParameterValue(std::vector<std::string>(array.data, array.data + array.size));
  }
  throw exceptions::InvalidParameterValueException("no value of a parameter is set");
}

ParameterMap parameter_map_from_yaml_file(const std::string & yaml_filename, const char * node_fqn)
{
  const std::shared_ptr<rcl_params_t> params(
    rcl_yaml_node_struct_init(rcutils_get_default_allocator()), &rcl_yaml_node_struct_fini);
  if (!params || !rcl_parse_yaml_file(yaml_filename.c_str(), params.get())) {
    const std::string reason = rcutils_get_error_string().str;
    rcutils_reset_error();
    throw std::runtime_error(reason);
  }
  return parameter_map_from(params.get(), node_fqn);
}

std::vector<Parameter> parameters_from_map(const ParameterMap & parameter_map, const char * node_fqn)
{
  std::vector<const ParameterMap::value_type *> nodes;
  for (const auto & node : parameter_map) {
    if (node_fqn == nullptr || matches(parts_of(node.first), 0, parts_of(node_fqn), 0)) {
      nodes.push_back(&node);
    }
  }
  const auto is_wider = [](const auto * left, const auto * right) {return width_of(left->first) > width_of(right->first);};
  std::stable_sort(nodes.begin(), nodes.end(), is_wider);
  std::vector<Parameter> parameters;
  for (const auto * node : nodes) {
    parameters.insert(parameters.end(), node->second.begin(), node->second.end());
  }
  return parameters;
}

}  // namespace rclcpp
