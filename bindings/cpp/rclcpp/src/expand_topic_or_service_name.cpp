#include "rclcpp/expand_topic_or_service_name.hpp"

#include "rcl/error_handling.h"
#include "rcl/expand_topic_name.h"
#include "rcl/validate_topic_name.h"
#include "rclcpp/exceptions.hpp"
#include "rmw/validate_full_topic_name.h"
#include "rmw/validate_namespace.h"
#include "rmw/validate_node_name.h"

namespace rclcpp
{
namespace
{

using Validate = rcl_ret_t (*)(const char * name, int * result, size_t * index);
using Reason = const char * (*)(int result);

/// Throws `Exception` if a name is not valid.
template<typename Exception>
void validate(const std::string & name, Validate check, Reason reason)
{
  int result = 0;
  size_t index = 0;
  const rcl_ret_t ret = check(name.c_str(), &result, &index);
  if (ret != RCL_RET_OK) {
    exceptions::throw_from_rcl_error(ret, "could not check the name '" + name + "'");
  }
  if (result != 0) {
    throw Exception(name.c_str(), reason(result), index);
  }
}

}  // namespace

std::string expand_topic_or_service_name(
  const std::string & name, const std::string & node_name, const std::string & namespace_, bool is_service)
{
  const auto check_name =
    is_service ? &validate<exceptions::InvalidServiceNameError> : &validate<exceptions::InvalidTopicNameError>;
  check_name(name, &rcl_validate_topic_name, &rcl_topic_name_validation_result_string);
  validate<exceptions::InvalidNodeNameError>(node_name, &rmw_validate_node_name, &rmw_node_name_validation_result_string);
  validate<exceptions::InvalidNamespaceError>(namespace_, &rmw_validate_namespace, &rmw_namespace_validation_result_string);
  char * expanded = nullptr;
  const rcutils_string_map_t none = rcutils_get_zero_initialized_string_map();
  const rcl_allocator_t allocator = rcl_get_default_allocator();
  const rcl_ret_t ret =
    rcl_expand_topic_name(name.c_str(), node_name.c_str(), namespace_.c_str(), &none, allocator, &expanded);
  if (ret != RCL_RET_OK) {
    exceptions::throw_from_rcl_error(ret, "could not expand the name '" + name + "'");
  }
  const std::string full = expanded;
  allocator.deallocate(expanded, allocator.state);
  check_name(full, &rmw_validate_full_topic_name, &rmw_full_topic_name_validation_result_string);
  return full;
}

}  // namespace rclcpp
