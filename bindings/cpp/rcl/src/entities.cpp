// Structs and options of contexts, nodes and what belongs to them.
#include <cstdlib>
#include <cstring>

#include "rcl/arguments.h"
#include "rcl/client.h"
#include "rcl/context.h"
#include "rcl/error_handling.h"
#include "rcl/event.h"
#include "rcl/graph.h"
#include "rcl/guard_condition.h"
#include "rcl/logging_rosout.h"
#include "rcl/node.h"
#include "rcl/publisher.h"
#include "rcl/service.h"
#include "rcl/subscription.h"
#include "rcl/timer.h"
#include "rcl/wait.h"
#include "rmw/publisher_options.h"
#include "rmw/qos_profiles.h"
#include "rmw/subscription_options.h"

rcl_arguments_t rcl_get_zero_initialized_arguments() {return {nullptr};}

rcl_context_t rcl_get_zero_initialized_context() {return {rcl_get_zero_initialized_arguments(), nullptr, 0};}

rcl_node_t rcl_get_zero_initialized_node() {return {nullptr, nullptr};}

rcl_node_options_t rcl_node_get_default_options()
{
  return {
    rcl_get_default_allocator(), true, rcl_get_zero_initialized_arguments(), true, rcl_qos_profile_rosout_default};
}

rcl_publisher_t rcl_get_zero_initialized_publisher() {return {nullptr};}

rcl_publisher_options_t rcl_publisher_get_default_options()
{
  const char * value = std::getenv(RCL_DISABLE_LOANED_MESSAGES_ENV_VAR);
  const bool disables_loans = value && std::strcmp(value, "1") == 0;
  return {
    rmw_qos_profile_default, rcl_get_default_allocator(), rmw_get_default_publisher_options(), disables_loans};
}

rcl_subscription_t rcl_get_zero_initialized_subscription() {return {nullptr};}

rcl_subscription_options_t rcl_subscription_get_default_options()
{
  const char * value = std::getenv(RCL_DISABLE_LOANED_MESSAGES_ENV_VAR);
  const bool enables_loans = value && std::strcmp(value, "0") == 0;
  return {
    rmw_qos_profile_default, rcl_get_default_allocator(), rmw_get_default_subscription_options(), !enables_loans};
}

rcl_ret_t rcl_subscription_options_fini(rcl_subscription_options_t * option)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(option, RCL_RET_INVALID_ARGUMENT);
  const rcl_allocator_t * allocator = &option->allocator;
  RCL_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RCL_RET_INVALID_ARGUMENT);
  rmw_subscription_content_filter_options_t *& filter = option->rmw_subscription_options.content_filter_options;
  if (!filter) {
    return RCL_RET_OK;
  }
  const rmw_ret_t ret = rmw_subscription_content_filter_options_fini(filter, allocator);
  allocator->deallocate(filter, allocator->state);
  filter = nullptr;
  return ret;
}

rcl_ret_t rcl_subscription_options_set_content_filter_options(
  const char * filter_expression, size_t expression_parameters_argc, const char * expression_parameter_argv[],
  rcl_subscription_options_t * options)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(options, RCL_RET_INVALID_ARGUMENT);
  const rcl_allocator_t * allocator = &options->allocator;
  RCL_CHECK_ALLOCATOR_WITH_MSG(allocator, "the allocator is not valid", return RCL_RET_INVALID_ARGUMENT);
  rmw_subscription_content_filter_options_t made = rmw_get_zero_initialized_content_filter_options();
  rmw_ret_t ret = rmw_subscription_content_filter_options_init(
    filter_expression, expression_parameters_argc, expression_parameter_argv, allocator, &made);
  if (ret == RMW_RET_OK) {
    ret = rcl_subscription_options_fini(options);
  }
  if (ret != RMW_RET_OK) {
    return ret;
  }
  void * memory = allocator->allocate(sizeof(made), allocator->state);
  if (!memory) {
    RCL_SET_ERROR_MSG("no memory for a content filter");
    return rmw_subscription_content_filter_options_fini(&made, allocator) == RMW_RET_OK ?
           RCL_RET_BAD_ALLOC : RCL_RET_ERROR;
  }
  options->rmw_subscription_options.content_filter_options =
    static_cast<rmw_subscription_content_filter_options_t *>(std::memcpy(memory, &made, sizeof(made)));
  return RCL_RET_OK;
}

rcl_subscription_content_filter_options_t rcl_get_zero_initialized_subscription_content_filter_options()
{
  return {rmw_get_zero_initialized_content_filter_options()};
}

rcl_client_t rcl_get_zero_initialized_client() {return {nullptr};}

rcl_client_options_t rcl_client_get_default_options()
{
  return {rmw_qos_profile_services_default, rcl_get_default_allocator()};
}

rcl_service_t rcl_get_zero_initialized_service() {return {nullptr};}

rcl_service_options_t rcl_service_get_default_options()
{
  return {rmw_qos_profile_services_default, rcl_get_default_allocator()};
}

rcl_guard_condition_t rcl_get_zero_initialized_guard_condition() {return {nullptr, nullptr};}

rcl_guard_condition_options_t rcl_guard_condition_get_default_options() {return {rcl_get_default_allocator()};}

rcl_timer_t rcl_get_zero_initialized_timer() {return {nullptr};}

rcl_event_t rcl_get_zero_initialized_event() {return {nullptr};}

rcl_wait_set_t rcl_get_zero_initialized_wait_set() {return {};}

rcl_ret_t rcl_names_and_types_init(
  rcl_names_and_types_t * names_and_types, size_t size, rcl_allocator_t * allocator)
{
  return rmw_names_and_types_init(names_and_types, size, allocator);
}

rcl_ret_t rcl_names_and_types_fini(rcl_names_and_types_t * names_and_types)
{
  return rmw_names_and_types_fini(names_and_types);
}
