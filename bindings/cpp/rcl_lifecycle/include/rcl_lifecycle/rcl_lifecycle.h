#ifndef RCL_LIFECYCLE_RCL_LIFECYCLE_H_
#define RCL_LIFECYCLE_RCL_LIFECYCLE_H_

#include "rcl/macros.h"
#include "rcl_lifecycle/data_types.h"
#include "rcl_lifecycle/default_state_machine.h"
#include "rcl_lifecycle/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Structs in which all is zero. */
RCL_LIFECYCLE_PUBLIC RCL_WARN_UNUSED rcl_lifecycle_state_t rcl_lifecycle_get_zero_initialized_state(void);
RCL_LIFECYCLE_PUBLIC RCL_WARN_UNUSED rcl_lifecycle_transition_t rcl_lifecycle_get_zero_initialized_transition(void);
RCL_LIFECYCLE_PUBLIC RCL_WARN_UNUSED
rcl_lifecycle_transition_map_t rcl_lifecycle_get_zero_initialized_transition_map(void);
RCL_LIFECYCLE_PUBLIC RCL_WARN_UNUSED
rcl_lifecycle_state_machine_t rcl_lifecycle_get_zero_initialized_state_machine(void);

/** Returns options with the default states, services and topic. */
RCL_LIFECYCLE_PUBLIC RCL_WARN_UNUSED
rcl_lifecycle_state_machine_options_t rcl_lifecycle_get_default_state_machine_options(void);

/** Returns the transition of a state with a number, or NULL. */
RCL_LIFECYCLE_PUBLIC RCL_WARN_UNUSED const rcl_lifecycle_transition_t * rcl_lifecycle_get_transition_by_id(
  const rcl_lifecycle_state_t * state, uint8_t id);

/** Returns the transition of a state with a label, or NULL. */
RCL_LIFECYCLE_PUBLIC RCL_WARN_UNUSED const rcl_lifecycle_transition_t * rcl_lifecycle_get_transition_by_label(
  const rcl_lifecycle_state_t * state, const char * label);

#ifdef __cplusplus
}
#endif

#endif
