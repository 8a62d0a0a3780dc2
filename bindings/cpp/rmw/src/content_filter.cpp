#include "rcutils/strdup.h"
#include "rmw/error_handling.h"
#include "rmw/subscription_content_filter_options.h"

namespace
{

constexpr size_t MAX_PARAMETERS = 100;

void destroy(rmw_subscription_content_filter_options_t & options, const rcutils_allocator_t & allocator)
{
  allocator.deallocate(options.filter_expression, allocator.state);
  if (rcutils_string_array_fini(&options.expression_parameters) != RCUTILS_RET_OK) {
    RMW_SAFE_FWRITE_TO_STDERR("the parameters of a content filter could not be freed\n");
  }
  options = rmw_get_zero_initialized_content_filter_options();
}

bool copy_parameters(size_t count, const char * const * texts, rcutils_string_array_t & parameters)
{
  for (size_t index = 0; index < count; ++index) {
    parameters.data[index] = rcutils_strdup(texts[index], parameters.allocator);
    if (!parameters.data[index]) {
      return false;
    }
  }
  return true;
}

bool copy(
  const char * expression, size_t count, const char * const * texts, const rcutils_allocator_t & allocator,
  rmw_subscription_content_filter_options_t & options)
{
  options.filter_expression = rcutils_strdup(expression, allocator);
  return options.filter_expression && (count == 0 || (
           rcutils_string_array_init(&options.expression_parameters, count, &allocator) == RCUTILS_RET_OK &&
           copy_parameters(count, texts, options.expression_parameters)));
}

// Makes the new options first, so that the old ones stay if that fails.
rmw_ret_t set(
  const char * expression, size_t count, const char * const * texts, const rcutils_allocator_t * allocator,
  rmw_subscription_content_filter_options_t * options, bool destroys_old)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(expression, RMW_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_ARGUMENT_FOR_NULL(options, RMW_RET_INVALID_ARGUMENT);
  if (count > MAX_PARAMETERS || (count > 0 && !texts)) {
    RMW_SET_ERROR_MSG("a content filter takes at most 100 parameters, and none may be null");
    return RMW_RET_INVALID_ARGUMENT;
  }
  rmw_subscription_content_filter_options_t made = rmw_get_zero_initialized_content_filter_options();
  if (!copy(expression, count, texts, *allocator, made)) {
    destroy(made, *allocator);
    rmw_reset_error();
    RMW_SET_ERROR_MSG("no memory for a content filter");
    return RMW_RET_BAD_ALLOC;
  }
  if (destroys_old) {
    destroy(*options, *allocator);
  }
  *options = made;
  return RMW_RET_OK;
}

}  // namespace

rmw_subscription_content_filter_options_t rmw_get_zero_initialized_content_filter_options()
{
  return {nullptr, rcutils_get_zero_initialized_string_array()};
}

rmw_ret_t rmw_subscription_content_filter_options_init(
  const char * filter_expression, size_t expression_parameters_argc, const char * expression_parameter_argv[],
  const rcutils_allocator_t * allocator, rmw_subscription_content_filter_options_t * options)
{
  return set(
    filter_expression, expression_parameters_argc, expression_parameter_argv, allocator, options, false);
}

rmw_ret_t rmw_subscription_content_filter_options_set(
  const char * filter_expression, size_t expression_parameters_argc, const char * expression_parameter_argv[],
  const rcutils_allocator_t * allocator, rmw_subscription_content_filter_options_t * options)
{
  return set(filter_expression, expression_parameters_argc, expression_parameter_argv, allocator, options, true);
}

rmw_ret_t rmw_subscription_content_filter_options_copy(
  const rmw_subscription_content_filter_options_t * src, const rcutils_allocator_t * allocator,
  rmw_subscription_content_filter_options_t * dst)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(src, RMW_RET_INVALID_ARGUMENT);
  const rcutils_string_array_t & parameters = src->expression_parameters;
  return set(src->filter_expression, parameters.size, parameters.data, allocator, dst, true);
}

rmw_ret_t rmw_subscription_content_filter_options_fini(
  rmw_subscription_content_filter_options_t * options, const rcutils_allocator_t * allocator)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(options, RMW_RET_INVALID_ARGUMENT);
  RCUTILS_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RMW_RET_INVALID_ARGUMENT);
  destroy(*options, *allocator);
  return RMW_RET_OK;
}
