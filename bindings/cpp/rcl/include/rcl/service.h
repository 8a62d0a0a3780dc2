/** Services. */
#ifndef RCL_SERVICE_H_
#define RCL_SERVICE_H_

#include "rcl/event_callback.h"
#include "rcl/macros.h"
#include "rcl/node.h"
#include "rcl/publisher.h"
#include "rcl/service_introspection.h"
#include "rcl/time.h"
#include "rcl/visibility_control.h"
#include "rosidl_runtime_c/service_type_support_struct.h"

#ifdef __cplusplus
extern "C" {
#endif

struct rcl_service_impl_s;
typedef struct rcl_service_impl_s rcl_service_impl_t;

typedef struct rcl_service_s
{
  rcl_service_impl_t * impl;
} rcl_service_t;

typedef struct rcl_service_options_s
{
  rmw_qos_profile_t qos;
  rcl_allocator_t allocator;
} rcl_service_options_t;

/** Returns a service that is not initialized. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_service_t rcl_get_zero_initialized_service(void);

/** Returns options with the defaults. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_service_options_t rcl_service_get_default_options(void);

#ifdef __cplusplus
}
#endif

#endif
