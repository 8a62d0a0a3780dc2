/** The names of QoS policies and of their values, for example "best_effort". */
#ifndef RMW_QOS_STRING_CONVERSIONS_H_
#define RMW_QOS_STRING_CONVERSIONS_H_

#include "rmw/qos_policy_kind.h"
#include "rmw/types.h"
#include "rmw/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The name of a value; NULL if the value is UNKNOWN, INVALID or none of the enumeration. */
RMW_PUBLIC const char * rmw_qos_policy_kind_to_str(rmw_qos_policy_kind_t kind);
RMW_PUBLIC const char * rmw_qos_durability_policy_to_str(rmw_qos_durability_policy_t value);
RMW_PUBLIC const char * rmw_qos_history_policy_to_str(rmw_qos_history_policy_t value);
RMW_PUBLIC const char * rmw_qos_liveliness_policy_to_str(rmw_qos_liveliness_policy_t value);
RMW_PUBLIC const char * rmw_qos_reliability_policy_to_str(rmw_qos_reliability_policy_t value);

/* The value with a name; UNKNOWN or INVALID if the name is NULL or no name. */
RMW_PUBLIC rmw_qos_policy_kind_t rmw_qos_policy_kind_from_str(const char * str);
RMW_PUBLIC rmw_qos_durability_policy_t rmw_qos_durability_policy_from_str(const char * str);
RMW_PUBLIC rmw_qos_history_policy_t rmw_qos_history_policy_from_str(const char * str);
RMW_PUBLIC rmw_qos_liveliness_policy_t rmw_qos_liveliness_policy_from_str(const char * str);
RMW_PUBLIC rmw_qos_reliability_policy_t rmw_qos_reliability_policy_from_str(const char * str);

#ifdef __cplusplus
}
#endif

#endif
