/** States and transitions of nodes with a lifecycle. */
#ifndef RCL_LIFECYCLE_DATA_TYPES_H_
#define RCL_LIFECYCLE_DATA_TYPES_H_

#include <stdbool.h>
#include <stdint.h>

#include "rcl/allocator.h"
#include "rcl_lifecycle/visibility_control.h"

typedef struct rcl_lifecycle_transition_s rcl_lifecycle_transition_t;

typedef struct rcl_lifecycle_state_s
{
  const char * label;
  /** One of the numbers of lifecycle_msgs/msg/State. */
  uint8_t id;
  /** The transitions that start here. */
  rcl_lifecycle_transition_t * valid_transitions;
  unsigned int valid_transition_size;
} rcl_lifecycle_state_t;

struct rcl_lifecycle_transition_s
{
  const char * label;
  /** One of the numbers of lifecycle_msgs/msg/Transition. */
  unsigned int id;
  rcl_lifecycle_state_t * start;
  rcl_lifecycle_state_t * goal;
};

typedef struct rcl_lifecycle_transition_map_s
{
  rcl_lifecycle_state_t * states;
  unsigned int states_size;
  rcl_lifecycle_transition_t * transitions;
  unsigned int transitions_size;
} rcl_lifecycle_transition_map_t;

typedef struct rcl_lifecycle_state_machine_options_s
{
  /** Makes the states that all nodes have. */
  bool initialize_default_states;
  /** Makes the services and the topic. */
  bool enable_com_interface;
  rcl_allocator_t allocator;
} rcl_lifecycle_state_machine_options_t;

/** Without the services and the topic, which belong to the node. */
typedef struct rcl_lifecycle_state_machine_s
{
  const rcl_lifecycle_state_t * current_state;
  rcl_lifecycle_transition_map_t transition_map;
  rcl_lifecycle_state_machine_options_t options;
} rcl_lifecycle_state_machine_t;

#endif
