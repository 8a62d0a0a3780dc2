/** The labels of the transitions that all nodes with a lifecycle have. */
#ifndef RCL_LIFECYCLE_DEFAULT_STATE_MACHINE_H_
#define RCL_LIFECYCLE_DEFAULT_STATE_MACHINE_H_

#include "rcl_lifecycle/data_types.h"
#include "rcl_lifecycle/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

RCL_LIFECYCLE_PUBLIC extern const char * rcl_lifecycle_configure_label;
RCL_LIFECYCLE_PUBLIC extern const char * rcl_lifecycle_cleanup_label;
RCL_LIFECYCLE_PUBLIC extern const char * rcl_lifecycle_activate_label;
RCL_LIFECYCLE_PUBLIC extern const char * rcl_lifecycle_deactivate_label;
RCL_LIFECYCLE_PUBLIC extern const char * rcl_lifecycle_shutdown_label;

/* The labels of the ends of a transition: the return value of the callback decides. */
RCL_LIFECYCLE_PUBLIC extern const char * rcl_lifecycle_transition_success_label;
RCL_LIFECYCLE_PUBLIC extern const char * rcl_lifecycle_transition_failure_label;
RCL_LIFECYCLE_PUBLIC extern const char * rcl_lifecycle_transition_error_label;

#ifdef __cplusplus
}
#endif

#endif
