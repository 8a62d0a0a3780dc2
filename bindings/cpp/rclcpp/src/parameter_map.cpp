#include "rclcpp/parameter_map.hpp"

#include <fstream>

#include "parameter_file.hpp"
#include "parameters.hpp"

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

ParameterValue value_from(const detail::FileEntry & entry, const std::string & file)
{
  saltus_parameter_result_t * result = nullptr;
  if (saltus_parameter_from_text(entry.value.c_str(), &result) != SALTUS_OK) {
    throw std::runtime_error(file + ":" + std::to_string(entry.line) + ": " + detail::last_error());
  }
  const auto owner = detail::shared(result, &saltus_parameter_result_destroy);
  return detail::value_of(*saltus_parameter_result_value(result));
}

/// Where an entry of a file is.
struct Place
{
  std::string node;
  std::string parameter;
  bool is_parameter = false;
};

/// Returns where an entry is, from the keys above it and its own.
Place place_of(const std::vector<const detail::FileEntry *> & keys)
{
  Place place;
  for (const auto * entry : keys) {
    if (place.is_parameter) {
      place.parameter += (place.parameter.empty() ? "" : ".") + entry->key;
    } else if (entry->key == "ros__parameters") {
      place.is_parameter = true;
    } else {
      place.node += (entry->key.front() == '/' ? "" : "/") + entry->key;
    }
  }
  return place;
}

}  // namespace

ParameterMap parameter_map_from_yaml_file(const std::string & yaml_filename, const char * node_fqn)
{
  std::ifstream file(yaml_filename);
  if (!file) {
    throw std::runtime_error("can't read the parameter file '" + yaml_filename + "'");
  }
  const auto entries = detail::read_entries(file, yaml_filename);
  ParameterMap map;
  std::vector<const detail::FileEntry *> keys;
  for (size_t index = 0; index < entries.size(); ++index) {
    const auto & entry = entries[index];
    while (!keys.empty() && keys.back()->indent >= entry.indent) {
      keys.pop_back();
    }
    keys.push_back(&entry);
    const bool has_more_below = index + 1 < entries.size() && entries[index + 1].indent > entry.indent;
    const Place place = place_of(keys);
    if (has_more_below || place.parameter.empty()) {
      if (!entry.value.empty()) {
        throw std::runtime_error(
                yaml_filename + ":" + std::to_string(entry.line) + ": '" + entry.key + "' has a value outside of "
                "ros__parameters, or keys below its value");
      }
      continue;
    }
    if (node_fqn == nullptr) {
      map[place.node].emplace_back(place.parameter, value_from(entry, yaml_filename));
    } else if (matches(parts_of(place.node), 0, parts_of(node_fqn), 0)) {
      map[node_fqn].emplace_back(place.parameter, value_from(entry, yaml_filename));
    }
  }
  return map;
}

std::vector<Parameter> parameters_from_map(const ParameterMap & parameter_map, const char * node_fqn)
{
  std::vector<Parameter> parameters;
  for (const auto & [node, of_node] : parameter_map) {
    if (node_fqn == nullptr || node == node_fqn) {
      parameters.insert(parameters.end(), of_node.begin(), of_node.end());
    }
  }
  return parameters;
}

}  // namespace rclcpp
