// The results of queries of the graph: names with types, and information about endpoints.
#include <algorithm>

#include "rcutils/strdup.h"
#include "rmw/convert_rcutils_ret_to_rmw_ret.h"
#include "rmw/error_handling.h"
#include "rmw/names_and_types.h"
#include "rmw/sanity_checks.h"
#include "rmw/topic_endpoint_info.h"
#include "rmw/topic_endpoint_info_array.h"

namespace
{

rmw_ret_t set_text(const char *& field, const char * text, rcutils_allocator_t * allocator)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(text, RMW_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RMW_RET_INVALID_ARGUMENT);
  const char * copy = rcutils_strdup(text, *allocator);
  RMW_CHECK_FOR_NULL_WITH_MSG(copy, "no memory for a text", return RMW_RET_BAD_ALLOC);
  field = copy;
  return RMW_RET_OK;
}

void free_text(const char * text, rcutils_allocator_t & allocator)
{
  allocator.deallocate(const_cast<char *>(text), allocator.state);
}

void destroy(rmw_topic_endpoint_info_t & info, rcutils_allocator_t & allocator)
{
  free_text(info.node_name, allocator);
  free_text(info.node_namespace, allocator);
  free_text(info.topic_type, allocator);
  info = rmw_get_zero_initialized_topic_endpoint_info();
}

}  // namespace

rmw_ret_t rmw_check_zero_rmw_string_array(rcutils_string_array_t * array)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(array, RMW_RET_INVALID_ARGUMENT);
  if (array->size != 0 || array->data) {
    RMW_SET_ERROR_MSG("expected an array of strings without memory");
    return RMW_RET_ERROR;
  }
  return RMW_RET_OK;
}

rmw_names_and_types_t rmw_get_zero_initialized_names_and_types()
{
  return {rcutils_get_zero_initialized_string_array(), nullptr};
}

rmw_ret_t rmw_names_and_types_check_zero(rmw_names_and_types_t * names_and_types)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(names_and_types, RMW_RET_INVALID_ARGUMENT);
  const rcutils_string_array_t & names = names_and_types->names;
  if (names.size != 0 || names.data || names_and_types->types) {
    RMW_SET_ERROR_MSG("expected names and types without memory");
    return RMW_RET_INVALID_ARGUMENT;
  }
  return RMW_RET_OK;
}

rmw_ret_t rmw_names_and_types_init(
  rmw_names_and_types_t * names_and_types, size_t size, rcutils_allocator_t * allocator)
{
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(names_and_types, RMW_RET_INVALID_ARGUMENT);
  rmw_names_and_types_t made = rmw_get_zero_initialized_names_and_types();
  const rcutils_ret_t ret = rcutils_string_array_init(&made.names, size, allocator);
  if (ret != RCUTILS_RET_OK) {
    return rmw_convert_rcutils_ret_to_rmw_ret(ret);
  }
  if (size > 0) {
    void * types = allocator->zero_allocate(size, sizeof(rcutils_string_array_t), allocator->state);
    if (!types) {
      allocator->deallocate(made.names.data, allocator->state);
      RMW_SET_ERROR_MSG("no memory for the types");
      return RMW_RET_BAD_ALLOC;
    }
    made.types = static_cast<rcutils_string_array_t *>(types);
  }
  *names_and_types = made;
  return RMW_RET_OK;
}

rmw_ret_t rmw_names_and_types_fini(rmw_names_and_types_t * names_and_types)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(names_and_types, RMW_RET_INVALID_ARGUMENT);
  rcutils_string_array_t & names = names_and_types->names;
  if (names_and_types->types) {
    const rcutils_allocator_t allocator = names.allocator;
    RCUTILS_CHECK_ALLOCATOR_WITH_MSG(&allocator, "the allocator is not valid", return RMW_RET_INVALID_ARGUMENT);
    for (size_t index = 0; index < names.size; ++index) {
      const rcutils_ret_t ret = rcutils_string_array_fini(&names_and_types->types[index]);
      if (ret != RCUTILS_RET_OK) {
        return rmw_convert_rcutils_ret_to_rmw_ret(ret);
      }
    }
    allocator.deallocate(names_and_types->types, allocator.state);
    names_and_types->types = nullptr;
  }
  return rmw_convert_rcutils_ret_to_rmw_ret(rcutils_string_array_fini(&names));
}

rmw_topic_endpoint_info_t rmw_get_zero_initialized_topic_endpoint_info() {return {};}

rmw_ret_t rmw_topic_endpoint_info_fini(
  rmw_topic_endpoint_info_t * topic_endpoint_info, rcutils_allocator_t * allocator)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(topic_endpoint_info, RMW_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RMW_RET_INVALID_ARGUMENT);
  destroy(*topic_endpoint_info, *allocator);
  return RMW_RET_OK;
}

rmw_ret_t rmw_topic_endpoint_info_set_topic_type(
  rmw_topic_endpoint_info_t * topic_endpoint_info, const char * topic_type, rcutils_allocator_t * allocator)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(topic_endpoint_info, RMW_RET_INVALID_ARGUMENT);
  return set_text(topic_endpoint_info->topic_type, topic_type, allocator);
}

rmw_ret_t rmw_topic_endpoint_info_set_topic_type_hash(
  rmw_topic_endpoint_info_t * topic_endpoint_info, const rosidl_type_hash_t * type_hash)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(topic_endpoint_info, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(type_hash, RMW_RET_INVALID_ARGUMENT);
  topic_endpoint_info->topic_type_hash = *type_hash;
  return RMW_RET_OK;
}

rmw_ret_t rmw_topic_endpoint_info_set_node_name(
  rmw_topic_endpoint_info_t * topic_endpoint_info, const char * node_name, rcutils_allocator_t * allocator)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(topic_endpoint_info, RMW_RET_INVALID_ARGUMENT);
  return set_text(topic_endpoint_info->node_name, node_name, allocator);
}

rmw_ret_t rmw_topic_endpoint_info_set_node_namespace(
  rmw_topic_endpoint_info_t * topic_endpoint_info, const char * node_namespace, rcutils_allocator_t * allocator)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(topic_endpoint_info, RMW_RET_INVALID_ARGUMENT);
  return set_text(topic_endpoint_info->node_namespace, node_namespace, allocator);
}

rmw_ret_t rmw_topic_endpoint_info_set_endpoint_type(
  rmw_topic_endpoint_info_t * topic_endpoint_info, rmw_endpoint_type_t type)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(topic_endpoint_info, RMW_RET_INVALID_ARGUMENT);
  topic_endpoint_info->endpoint_type = type;
  return RMW_RET_OK;
}

rmw_ret_t rmw_topic_endpoint_info_set_qos_profile(
  rmw_topic_endpoint_info_t * topic_endpoint_info, const rmw_qos_profile_t * qos_profile)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(topic_endpoint_info, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(qos_profile, RMW_RET_INVALID_ARGUMENT);
  topic_endpoint_info->qos_profile = *qos_profile;
  return RMW_RET_OK;
}

rmw_ret_t rmw_topic_endpoint_info_set_gid(
  rmw_topic_endpoint_info_t * topic_endpoint_info, const uint8_t gid[], size_t size)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(topic_endpoint_info, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(gid, RMW_RET_INVALID_ARGUMENT);
  if (size > RMW_GID_STORAGE_SIZE) {
    RMW_SET_ERROR_MSG_WITH_FORMAT_STRING("expected at most %u bytes, found %zu", RMW_GID_STORAGE_SIZE, size);
    return RMW_RET_INVALID_ARGUMENT;
  }
  uint8_t * end = std::copy_n(gid, size, topic_endpoint_info->endpoint_gid);
  std::fill(end, topic_endpoint_info->endpoint_gid + RMW_GID_STORAGE_SIZE, uint8_t{0});
  return RMW_RET_OK;
}

rmw_topic_endpoint_info_array_t rmw_get_zero_initialized_topic_endpoint_info_array() {return {0, nullptr};}

rmw_ret_t rmw_topic_endpoint_info_array_check_zero(rmw_topic_endpoint_info_array_t * topic_endpoint_info_array)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(topic_endpoint_info_array, RMW_RET_INVALID_ARGUMENT);
  if (topic_endpoint_info_array->size != 0 || topic_endpoint_info_array->info_array) {
    RMW_SET_ERROR_MSG("expected an array of endpoints without memory");
    return RMW_RET_ERROR;
  }
  return RMW_RET_OK;
}

rmw_ret_t rmw_topic_endpoint_info_array_init_with_size(
  rmw_topic_endpoint_info_array_t * topic_endpoint_info_array, size_t size, rcutils_allocator_t * allocator)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(topic_endpoint_info_array, RMW_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RMW_RET_INVALID_ARGUMENT);
  void * infos = nullptr;
  if (size > 0) {
    infos = allocator->zero_allocate(size, sizeof(rmw_topic_endpoint_info_t), allocator->state);
    RMW_CHECK_FOR_NULL_WITH_MSG(infos, "no memory for an array of endpoints", return RMW_RET_BAD_ALLOC);
  }
  *topic_endpoint_info_array = {size, static_cast<rmw_topic_endpoint_info_t *>(infos)};
  return RMW_RET_OK;
}

rmw_ret_t rmw_topic_endpoint_info_array_fini(
  rmw_topic_endpoint_info_array_t * topic_endpoint_info_array, rcutils_allocator_t * allocator)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(topic_endpoint_info_array, RMW_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RMW_RET_INVALID_ARGUMENT);
  std::for_each_n(
    topic_endpoint_info_array->info_array, topic_endpoint_info_array->size,
    [&](rmw_topic_endpoint_info_t & info) {destroy(info, *allocator);});
  allocator->deallocate(topic_endpoint_info_array->info_array, allocator->state);
  *topic_endpoint_info_array = rmw_get_zero_initialized_topic_endpoint_info_array();
  return RMW_RET_OK;
}
