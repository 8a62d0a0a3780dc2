/** Clients of services. */
#ifndef RCL_CLIENT_H_
#define RCL_CLIENT_H_

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

struct rcl_client_impl_s;
typedef struct rcl_client_impl_s rcl_client_impl_t;

typedef struct rcl_client_s
{
  rcl_client_impl_t * impl;
} rcl_client_t;

typedef struct rcl_client_options_s
{
  rmw_qos_profile_t qos;
  rcl_allocator_t allocator;
} rcl_client_options_t;

/** Returns a client that is not initialized. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_client_t rcl_get_zero_initialized_client(void);

/** Returns options with the defaults. */
RCL_PUBLIC RCL_WARN_UNUSED rcl_client_options_t rcl_client_get_default_options(void);

#ifdef __cplusplus
}
#endif

#endif
