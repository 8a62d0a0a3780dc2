/* Uses rcl from C: a compile test of the headers and macros. */
#include "rcl/discovery_options.h"
#include "rcl/error_handling.h"
#include "rcl/localhost.h"
#include "rcl/log_level.h"
#include "rcl/logging_rosout.h"
#include "rcl/network_flow_endpoints.h"
#include "rcl/rcl.h"
#include "rcl/security.h"
#include "rcl/service_introspection.h"
#include "rcl/validate_enclave_name.h"
#include "rcl/version.h"

/* Sets `now` to the time of a new clock. */
rcl_ret_t c_time_of_new_clock(rcl_clock_type_t type, rcl_time_point_value_t * now);

rcl_ret_t c_time_of_new_clock(rcl_clock_type_t type, rcl_time_point_value_t * now)
{
  rcl_clock_t clock;
  rcl_allocator_t allocator = rcl_get_default_allocator();
  rcl_ret_t ret;
  RCL_CHECK_ARGUMENT_FOR_NULL(now, RCL_RET_INVALID_ARGUMENT);
  RCL_CHECK_ALLOCATOR_WITH_MSG(&allocator, "the allocator is not valid", return RCL_RET_INVALID_ARGUMENT);
  ret = rcl_clock_init(type, &clock, &allocator);
  if (ret != RCL_RET_OK) {
    return ret;
  }
  ret = rcl_clock_get_now(&clock, now);
  return rcl_clock_fini(&clock) == RCL_RET_OK ? ret : RCL_RET_ERROR;
}
