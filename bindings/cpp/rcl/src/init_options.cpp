#include "rcl/init_options.h"

#include <new>

#include "rcl/error_handling.h"

struct rcl_init_options_impl_s
{
  rcl_allocator_t allocator;
  rmw_init_options_t rmw_init_options;
};

namespace
{

void free_impl(rcl_init_options_impl_t * impl)
{
  const rcl_allocator_t allocator = impl->allocator;
  allocator.deallocate(impl, allocator.state);
}

// Makes an impl whose rmw options are zero.
rcl_ret_t allocate(rcl_init_options_t * init_options, const rcl_allocator_t & allocator)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(init_options, RCL_RET_INVALID_ARGUMENT);
  RCL_CHECK_ALLOCATOR_WITH_MSG(&allocator, "the allocator is not valid", return RCL_RET_INVALID_ARGUMENT);
  if (init_options->impl) {
    RCL_SET_ERROR_MSG("the init options are initialized already");
    return RCL_RET_ALREADY_INIT;
  }
  void * memory = allocator.allocate(sizeof(rcl_init_options_impl_t), allocator.state);
  RCL_CHECK_FOR_NULL_WITH_MSG(memory, "no memory for the init options", return RCL_RET_BAD_ALLOC);
  init_options->impl = new (memory) rcl_init_options_impl_t{allocator, rmw_get_zero_initialized_init_options()};
  return RCL_RET_OK;
}

rcl_ret_t free_on_failure(rcl_init_options_t & init_options, rcl_ret_t ret)
{
  if (ret != RCL_RET_OK) {
    free_impl(init_options.impl);
    init_options.impl = nullptr;
  }
  return ret;
}

// Sets an error if the options are NULL or not initialized.
bool is_initialized(const rcl_init_options_t * init_options)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(init_options, false);
  RCL_CHECK_FOR_NULL_WITH_MSG(init_options->impl, "the init options are not initialized", return false);
  return true;
}

}  // namespace

rcl_init_options_t rcl_get_zero_initialized_init_options() {return {nullptr};}

rcl_ret_t rcl_init_options_init(rcl_init_options_t * init_options, rcl_allocator_t allocator)
{
  const rcl_ret_t ret = allocate(init_options, allocator);
  if (ret != RCL_RET_OK) {
    return ret;
  }
  return free_on_failure(*init_options, rmw_init_options_init(&init_options->impl->rmw_init_options, allocator));
}

rcl_ret_t rcl_init_options_copy(const rcl_init_options_t * src, rcl_init_options_t * dst)
{
  if (!is_initialized(src)) {
    return RCL_RET_INVALID_ARGUMENT;
  }
  const rcl_ret_t ret = allocate(dst, src->impl->allocator);
  if (ret != RCL_RET_OK) {
    return ret;
  }
  return free_on_failure(
    *dst, rmw_init_options_copy(&src->impl->rmw_init_options, &dst->impl->rmw_init_options));
}

rcl_ret_t rcl_init_options_fini(rcl_init_options_t * init_options)
{
  if (!is_initialized(init_options)) {
    return RCL_RET_INVALID_ARGUMENT;
  }
  const rmw_ret_t ret = rmw_init_options_fini(&init_options->impl->rmw_init_options);
  if (ret == RMW_RET_OK) {
    free_impl(init_options->impl);
    init_options->impl = nullptr;
  }
  return ret;
}

rcl_ret_t rcl_init_options_get_domain_id(const rcl_init_options_t * init_options, size_t * domain_id)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(domain_id, RCL_RET_INVALID_ARGUMENT);
  if (!is_initialized(init_options)) {
    return RCL_RET_INVALID_ARGUMENT;
  }
  *domain_id = init_options->impl->rmw_init_options.domain_id;
  return RCL_RET_OK;
}

rcl_ret_t rcl_init_options_set_domain_id(rcl_init_options_t * init_options, size_t domain_id)
{
  if (!is_initialized(init_options)) {
    return RCL_RET_INVALID_ARGUMENT;
  }
  init_options->impl->rmw_init_options.domain_id = domain_id;
  return RCL_RET_OK;
}

rmw_init_options_t * rcl_init_options_get_rmw_init_options(rcl_init_options_t * init_options)
{
  return is_initialized(init_options) ? &init_options->impl->rmw_init_options : nullptr;
}

const rcl_allocator_t * rcl_init_options_get_allocator(const rcl_init_options_t * init_options)
{
  return is_initialized(init_options) ? &init_options->impl->allocator : nullptr;
}
