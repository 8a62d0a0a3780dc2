#include <algorithm>
#include <cstring>

#include "rcutils/strdup.h"
#include "rmw/discovery_options.h"
#include "rmw/error_handling.h"
#include "rmw/init.h"
#include "rmw/init_options.h"
#include "rmw/publisher_options.h"
#include "rmw/rmw.h"
#include "rmw/security_options.h"
#include "rmw/subscription_options.h"

namespace
{

// Sets `copy` to a copy of a text, or to NULL if it is NULL.
rmw_ret_t copy_text(const char * text, const rcutils_allocator_t & allocator, char *& copy)
{
  copy = text ? rcutils_strdup(text, allocator) : nullptr;
  if (text && !copy) {
    RMW_SET_ERROR_MSG("no memory for a text");
    return RMW_RET_BAD_ALLOC;
  }
  return RMW_RET_OK;
}

// Copies what may fail. On failure, rmw_init_options_fini frees what was copied.
rmw_ret_t copy_parts(const rmw_init_options_t & src, rmw_init_options_t & dst)
{
  rmw_ret_t ret = copy_text(src.enclave, dst.allocator, dst.enclave);
  if (ret == RMW_RET_OK) {
    ret = rmw_security_options_copy(&src.security_options, &dst.allocator, &dst.security_options);
  }
  if (ret == RMW_RET_OK) {
    ret = rmw_discovery_options_copy(&src.discovery_options, &dst.allocator, &dst.discovery_options);
  }
  return ret;
}

}  // namespace

rmw_security_options_t rmw_get_zero_initialized_security_options()
{
  return {RMW_SECURITY_ENFORCEMENT_PERMISSIVE, nullptr};
}

rmw_security_options_t rmw_get_default_security_options() {return rmw_get_zero_initialized_security_options();}

rmw_ret_t rmw_security_options_copy(
  const rmw_security_options_t * src, const rcutils_allocator_t * allocator, rmw_security_options_t * dst)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(src, RMW_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(dst, RMW_RET_INVALID_ARGUMENT);
  char * path;
  const rmw_ret_t ret = copy_text(src->security_root_path, *allocator, path);
  if (ret == RMW_RET_OK) {
    *dst = {src->enforce_security, path};
  }
  return ret;
}

rmw_ret_t rmw_security_options_set_root_path(
  const char * security_root_path, const rcutils_allocator_t * allocator, rmw_security_options_t * security_options)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(security_root_path, RMW_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(security_options, RMW_RET_INVALID_ARGUMENT);
  return copy_text(security_root_path, *allocator, security_options->security_root_path);
}

rmw_ret_t rmw_security_options_fini(
  rmw_security_options_t * security_options, const rcutils_allocator_t * allocator)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(security_options, RMW_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RMW_RET_INVALID_ARGUMENT);
  allocator->deallocate(security_options->security_root_path, allocator->state);
  *security_options = rmw_get_zero_initialized_security_options();
  return RMW_RET_OK;
}

rmw_discovery_options_t rmw_get_zero_initialized_discovery_options()
{
  return {RMW_AUTOMATIC_DISCOVERY_RANGE_NOT_SET, nullptr, 0, rcutils_get_zero_initialized_allocator()};
}

rmw_ret_t rmw_discovery_options_init(
  rmw_discovery_options_t * discovery_options, size_t size, rcutils_allocator_t * allocator)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(discovery_options, RMW_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RMW_RET_INVALID_ARGUMENT);
  if (discovery_options->static_peers) {
    RMW_SET_ERROR_MSG("the discovery options have peers already");
    return RMW_RET_INVALID_ARGUMENT;
  }
  void * peers = nullptr;
  if (size > 0) {
    peers = allocator->zero_allocate(size, sizeof(rmw_peer_address_t), allocator->state);
    RMW_CHECK_FOR_NULL_WITH_MSG(peers, "no memory for the peers", return RMW_RET_BAD_ALLOC);
  }
  rmw_automatic_discovery_range_t range = discovery_options->automatic_discovery_range;
  if (range == RMW_AUTOMATIC_DISCOVERY_RANGE_NOT_SET) {
    range = RMW_AUTOMATIC_DISCOVERY_RANGE_LOCALHOST;
  }
  *discovery_options = {range, static_cast<rmw_peer_address_t *>(peers), size, *allocator};
  return RMW_RET_OK;
}

rmw_ret_t rmw_discovery_options_equal(
  const rmw_discovery_options_t * const left, const rmw_discovery_options_t * const right, bool * result)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(left, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(right, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(result, RMW_RET_INVALID_ARGUMENT);
  const auto same_peer = [](const rmw_peer_address_t & one, const rmw_peer_address_t & other) {
      return std::strncmp(one.peer_address, other.peer_address, sizeof(one.peer_address)) == 0;
    };
  *result = left->automatic_discovery_range == right->automatic_discovery_range && std::equal(
    left->static_peers, left->static_peers + left->static_peers_count,
    right->static_peers, right->static_peers + right->static_peers_count, same_peer);
  return RMW_RET_OK;
}

rmw_ret_t rmw_discovery_options_copy(
  const rmw_discovery_options_t * src, rcutils_allocator_t * allocator, rmw_discovery_options_t * dst)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(src, RMW_RET_INVALID_ARGUMENT);
  const rmw_ret_t ret = rmw_discovery_options_init(dst, src->static_peers_count, allocator);
  if (ret == RMW_RET_OK) {
    dst->automatic_discovery_range = src->automatic_discovery_range;
    std::copy_n(src->static_peers, src->static_peers_count, dst->static_peers);
  }
  return ret;
}

rmw_ret_t rmw_discovery_options_fini(rmw_discovery_options_t * discovery_options)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(discovery_options, RMW_RET_INVALID_ARGUMENT);
  if (discovery_options->static_peers) {
    const rcutils_allocator_t * allocator = &discovery_options->allocator;
    RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RMW_RET_INVALID_ARGUMENT);
    allocator->deallocate(discovery_options->static_peers, allocator->state);
  }
  *discovery_options = rmw_get_zero_initialized_discovery_options();
  return RMW_RET_OK;
}

rmw_init_options_t rmw_get_zero_initialized_init_options()
{
  rmw_init_options_t options = {};
  options.domain_id = RMW_DEFAULT_DOMAIN_ID;
  return options;
}

rmw_ret_t rmw_init_options_init(rmw_init_options_t * init_options, rcutils_allocator_t allocator)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(init_options, RMW_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(&allocator, "the allocator is not valid", return RMW_RET_INVALID_ARGUMENT);
  if (init_options->implementation_identifier) {
    RMW_SET_ERROR_MSG("the init options are initialized already");
    return RMW_RET_INVALID_ARGUMENT;
  }
  *init_options = rmw_get_zero_initialized_init_options();
  init_options->implementation_identifier = rmw_get_implementation_identifier();
  init_options->allocator = allocator;
  return RMW_RET_OK;
}

rmw_ret_t rmw_init_options_copy(const rmw_init_options_t * src, rmw_init_options_t * dst)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(src, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_FOR_NULL_WITH_MSG(
    src->implementation_identifier, "the init options are not initialized", return RMW_RET_INVALID_ARGUMENT);
  rmw_ret_t ret = rmw_init_options_init(dst, src->allocator);
  if (ret != RMW_RET_OK) {
    return ret;
  }
  dst->instance_id = src->instance_id;
  dst->domain_id = src->domain_id;
  dst->localhost_only = src->localhost_only;
  ret = copy_parts(*src, *dst);
  if (ret != RMW_RET_OK && rmw_init_options_fini(dst) != RMW_RET_OK) {
    RMW_SAFE_FWRITE_TO_STDERR("the init options could not be freed\n");
  }
  return ret;
}

rmw_ret_t rmw_init_options_fini(rmw_init_options_t * init_options)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(init_options, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_FOR_NULL_WITH_MSG(
    init_options->implementation_identifier, "the init options are not initialized", return RMW_RET_INVALID_ARGUMENT);
  const rcutils_allocator_t * allocator = &init_options->allocator;
  rmw_ret_t ret = rmw_security_options_fini(&init_options->security_options, allocator);
  if (ret == RMW_RET_OK) {
    ret = rmw_discovery_options_fini(&init_options->discovery_options);
  }
  if (ret == RMW_RET_OK) {
    allocator->deallocate(init_options->enclave, allocator->state);
    *init_options = rmw_get_zero_initialized_init_options();
  }
  return ret;
}

rmw_publisher_options_t rmw_get_default_publisher_options()
{
  return {nullptr, RMW_UNIQUE_NETWORK_FLOW_ENDPOINTS_NOT_REQUIRED};
}

rmw_subscription_options_t rmw_get_default_subscription_options()
{
  return {nullptr, false, RMW_UNIQUE_NETWORK_FLOW_ENDPOINTS_NOT_REQUIRED, nullptr};
}
