/** Subscriptions. */
#ifndef RCL_SUBSCRIPTION_H_
#define RCL_SUBSCRIPTION_H_

#include <stdbool.h>
#include <stddef.h>

#include "rcl/event_callback.h"
#include "rcl/macros.h"
#include "rcl/node.h"
#include "rcl/visibility_control.h"
#include "rmw/message_sequence.h"
#include "rmw/subscription_content_filter_options.h"
#include "rosidl_runtime_c/message_type_support_struct.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rcl_subscription_impl_s;
typedef struct rcl_subscription_impl_s rcl_subscription_impl_t;

typedef struct rcl_subscription_s
{
  rcl_subscription_impl_t * impl;
} rcl_subscription_t;

typedef struct rcl_subscription_options_s
{
  rmw_qos_profile_t qos;
  rcl_allocator_t allocator;
  rmw_subscription_options_t rmw_subscription_options;
  bool disable_loaned_message;
} rcl_subscription_options_t;

typedef struct rcl_subscription_content_filter_options_s
{
  rmw_subscription_content_filter_options_t rmw_subscription_content_filter_options;
} rcl_subscription_content_filter_options_t;

/** Returns a subscription that is not initialized. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_subscription_t rcl_get_zero_initialized_subscription(void);

/** Returns options with the defaults. Messages are lent only if ROS_DISABLE_LOANED_MESSAGES is "0". */
RCL_PUBLIC RCL_WARN_UNUSED rcl_subscription_options_t rcl_subscription_get_default_options(void);

/** Frees the content filter of options. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_subscription_options_fini(rcl_subscription_options_t * option);

/** Sets the content filter of options, with at most 100 parameters. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_ret_t rcl_subscription_options_set_content_filter_options(
  const char * filter_expression, size_t expression_parameters_argc, const char * expression_parameter_argv[],
  rcl_subscription_options_t * options);

/** Returns a content filter that is not initialized. */
RCL_PUBLIC RCL_WARN_UNUSED
rcl_subscription_content_filter_options_t rcl_get_zero_initialized_subscription_content_filter_options(void);

#ifdef __cplusplus
}
#endif

#endif
