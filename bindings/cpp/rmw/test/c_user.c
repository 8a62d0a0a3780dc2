/* Uses rmw from C: a compile test of the headers and macros. */
#include <stddef.h>

#include "rmw/allocators.h"
#include "rmw/check_type_identifiers_match.h"
#include "rmw/convert_rcutils_ret_to_rmw_ret.h"
#include "rmw/error_handling.h"
#include "rmw/features.h"
#include "rmw/incompatible_qos_events_statuses.h"
#include "rmw/names_and_types.h"
#include "rmw/network_flow_endpoint_array.h"
#include "rmw/qos_profiles.h"
#include "rmw/qos_string_conversions.h"
#include "rmw/rmw.h"
#include "rmw/sanity_checks.h"
#include "rmw/topic_endpoint_info_array.h"
#include "rmw/validate_namespace.h"
#include "rmw/validate_node_name.h"

/* Returns RMW_RET_INCORRECT_RMW_IMPLEMENTATION if a gid is not of Saltus. */
rmw_ret_t c_check_gid(const rmw_gid_t * gid);
size_t c_default_depth(void);

rmw_ret_t c_check_gid(const rmw_gid_t * gid)
{
  RMW_CHECK_ARGUMENT_FOR_NULL(gid, RMW_RET_INVALID_ARGUMENT);
  RMW_CHECK_TYPE_IDENTIFIERS_MATCH(
    gid, gid->implementation_identifier, rmw_get_implementation_identifier(),
    return RMW_RET_INCORRECT_RMW_IMPLEMENTATION);
  return RMW_RET_OK;
}

size_t c_default_depth(void)
{
  rmw_qos_profile_t profile = rmw_qos_profile_default;
  const rmw_time_t infinite = RMW_DURATION_INFINITE;
  profile.deadline = infinite;
  return profile.depth;
}
