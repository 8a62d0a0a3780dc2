/** The topic /rosout. */
#ifndef RCL_LOGGING_ROSOUT_H_
#define RCL_LOGGING_ROSOUT_H_

#include "rmw/qos_profiles.h"

/** The newest 1000 messages of 10 seconds, reliable, for subscriptions that come later, too. */
static const rmw_qos_profile_t rcl_qos_profile_rosout_default = {
  RMW_QOS_POLICY_HISTORY_KEEP_LAST,
  1000,
  RMW_QOS_POLICY_RELIABILITY_RELIABLE,
  RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL,
  RMW_QOS_DEADLINE_DEFAULT,
  {10, 0},
  RMW_QOS_POLICY_LIVELINESS_SYSTEM_DEFAULT,
  RMW_QOS_LIVELINESS_LEASE_DURATION_DEFAULT,
  false
};

#endif
