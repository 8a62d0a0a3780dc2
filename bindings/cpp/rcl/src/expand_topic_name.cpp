#include "rcl/expand_topic_name.h"

#include <string>

#include "rcl/error_handling.h"
#include "rcl/validate_topic_name.h"
#include "rcutils/strdup.h"
#include "rmw/validate_namespace.h"
#include "rmw/validate_node_name.h"

namespace
{

/// The names that an expansion needs.
struct Names
{
  std::string node;
  std::string node_namespace;
  const rcutils_string_map_t * substitutions;

  std::string full_name() const {return node_namespace + (node_namespace == "/" ? "" : "/") + node;}

  /// Returns what stands for a name in braces, or NULL.
  const char * find(const std::string & key) const
  {
    if (key == "node") {
      return node.c_str();
    }
    if (key == "ns" || key == "namespace") {
      return node_namespace.c_str();
    }
    return rcutils_string_map_get(substitutions, key.c_str());
  }
};

rcl_ret_t refuse(rcl_ret_t ret, const char * kind, const char * name, const char * reason)
{
  RCL_SET_ERROR_MSG_WITH_FORMAT_STRING("the %s '%s' is not valid: %s", kind, name, reason);
  return ret;
}

rcl_ret_t check(const char * topic_name, const char * node_name, const char * node_namespace)
{
  int result;
  rcl_ret_t ret = rcl_validate_topic_name(topic_name, &result, nullptr);
  if (ret == RCL_RET_OK && result != RCL_TOPIC_NAME_VALID) {
    const char * reason = rcl_topic_name_validation_result_string(result);
    return refuse(RCL_RET_TOPIC_NAME_INVALID, "topic name", topic_name, reason);
  }
  if (ret == RCL_RET_OK) {
    ret = rmw_validate_node_name(node_name, &result, nullptr);
  }
  if (ret == RCL_RET_OK && result != RMW_NODE_NAME_VALID) {
    const char * reason = rmw_node_name_validation_result_string(result);
    return refuse(RCL_RET_NODE_INVALID_NAME, "node name", node_name, reason);
  }
  if (ret == RCL_RET_OK) {
    ret = rmw_validate_namespace(node_namespace, &result, nullptr);
  }
  if (ret == RCL_RET_OK && result != RMW_NAMESPACE_VALID) {
    const char * reason = rmw_namespace_validation_result_string(result);
    return refuse(RCL_RET_NODE_INVALID_NAMESPACE, "namespace", node_namespace, reason);
  }
  return ret;
}

// Replaces the names in braces. The braces are in pairs: the name was checked.
rcl_ret_t substitute(std::string & name, const Names & names)
{
  size_t begin = 0;
  while ((begin = name.find('{', begin)) != std::string::npos) {
    const size_t end = name.find('}', begin);
    const std::string key = name.substr(begin + 1, end - begin - 1);
    const char * value = names.find(key);
    if (!value) {
      RCL_SET_ERROR_MSG_WITH_FORMAT_STRING("unknown substitution '{%s}'", key.c_str());
      return RCL_RET_UNKNOWN_SUBSTITUTION;
    }
    const std::string text = value;
    name.replace(begin, end - begin + 1, text);
    begin += text.size();
  }
  return RCL_RET_OK;
}

rcl_ret_t expand(std::string & name, const Names & names)
{
  if (name[0] == '~') {
    name.replace(0, 1, names.full_name());
  }
  const rcl_ret_t ret = substitute(name, names);
  if (ret == RCL_RET_OK && (name.empty() || name[0] != '/')) {
    name.insert(0, names.node_namespace + (names.node_namespace == "/" ? "" : "/"));
  }
  return ret;
}

}  // namespace

rcl_ret_t rcl_expand_topic_name(
  const char * input_topic_name, const char * node_name, const char * node_namespace,
  const rcutils_string_map_t * substitutions, rcl_allocator_t allocator, char ** output_topic_name)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(input_topic_name, RCL_RET_INVALID_ARGUMENT);
  RCL_CHECK_ARGUMENT_FOR_NULL(node_name, RCL_RET_INVALID_ARGUMENT);
  RCL_CHECK_ARGUMENT_FOR_NULL(node_namespace, RCL_RET_INVALID_ARGUMENT);
  RCL_CHECK_ARGUMENT_FOR_NULL(substitutions, RCL_RET_INVALID_ARGUMENT);
  RCL_CHECK_ARGUMENT_FOR_NULL(output_topic_name, RCL_RET_INVALID_ARGUMENT);
  RCL_CHECK_ALLOCATOR_WITH_MSG(&allocator, "the allocator is not valid", return RCL_RET_INVALID_ARGUMENT);
  rcl_ret_t ret = check(input_topic_name, node_name, node_namespace);
  std::string name = input_topic_name;
  if (ret == RCL_RET_OK) {
    ret = expand(name, {node_name, node_namespace, substitutions});
  }
  if (ret != RCL_RET_OK) {
    return ret;
  }
  char * output = rcutils_strdup(name.c_str(), allocator);
  RCL_CHECK_FOR_NULL_WITH_MSG(output, "no memory for a topic name", return RCL_RET_BAD_ALLOC);
  *output_topic_name = output;
  return RCL_RET_OK;
}

rcl_ret_t rcl_get_default_topic_name_substitutions(rcutils_string_map_t * string_map)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(string_map, RCL_RET_INVALID_ARGUMENT);
  return RCL_RET_OK;
}
