/** The filter of a subscription by content. */
#ifndef RMW_SUBSCRIPTION_CONTENT_FILTER_OPTIONS_H_
#define RMW_SUBSCRIPTION_CONTENT_FILTER_OPTIONS_H_

#include <stddef.h>

#include "rcutils/allocator.h"
#include "rcutils/types/string_array.h"
#include "rmw/macros.h"
#include "rmw/ret_types.h"
#include "rmw/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rmw_subscription_content_filter_options_s
{
  /** As the WHERE clause of SQL, with %0 to %99 for the parameters. */
  char * filter_expression;
  /** The parameters of the expression. */
  rcutils_string_array_t expression_parameters;
} rmw_subscription_content_filter_options_t;

/** Returns options without expression and without parameters. */
RMW_PUBLIC RMW_WARN_UNUSED
rmw_subscription_content_filter_options_t rmw_get_zero_initialized_content_filter_options(void);

/** Makes options from copies of the texts. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_subscription_content_filter_options_init(
  const char * filter_expression, size_t expression_parameters_argc, const char * expression_parameter_argv[],
  const rcutils_allocator_t * allocator, rmw_subscription_content_filter_options_t * options);

/** Replaces the texts of options that are initialized. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_subscription_content_filter_options_set(
  const char * filter_expression, size_t expression_parameters_argc, const char * expression_parameter_argv[],
  const rcutils_allocator_t * allocator, rmw_subscription_content_filter_options_t * options);

/** Replaces the texts of `dst` by copies of those of `src`. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_subscription_content_filter_options_copy(
  const rmw_subscription_content_filter_options_t * src, const rcutils_allocator_t * allocator,
  rmw_subscription_content_filter_options_t * dst);

/** Frees the texts. */
RMW_PUBLIC RMW_WARN_UNUSED rmw_ret_t rmw_subscription_content_filter_options_fini(
  rmw_subscription_content_filter_options_t * options, const rcutils_allocator_t * allocator);

#ifdef __cplusplus
}
#endif

#endif
