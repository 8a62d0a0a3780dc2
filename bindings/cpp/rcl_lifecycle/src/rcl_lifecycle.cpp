#include "rcl_lifecycle/rcl_lifecycle.h"

#include <cstring>

#include "rcl/error_handling.h"

const char * rcl_lifecycle_configure_label = "configure";
const char * rcl_lifecycle_cleanup_label = "cleanup";
const char * rcl_lifecycle_activate_label = "activate";
const char * rcl_lifecycle_deactivate_label = "deactivate";
const char * rcl_lifecycle_shutdown_label = "shutdown";
const char * rcl_lifecycle_transition_success_label = "transition_success";
const char * rcl_lifecycle_transition_failure_label = "transition_failure";
const char * rcl_lifecycle_transition_error_label = "transition_error";

namespace
{

template<typename Predicate>
const rcl_lifecycle_transition_t * find(const rcl_lifecycle_state_t & state, Predicate matches)
{
  for (unsigned int index = 0; index < state.valid_transition_size; ++index) {
    if (matches(state.valid_transitions[index])) {
      return &state.valid_transitions[index];
    }
  }
  return nullptr;
}

}  // namespace

rcl_lifecycle_state_t rcl_lifecycle_get_zero_initialized_state() {return {};}

rcl_lifecycle_transition_t rcl_lifecycle_get_zero_initialized_transition() {return {};}

rcl_lifecycle_transition_map_t rcl_lifecycle_get_zero_initialized_transition_map() {return {};}

rcl_lifecycle_state_machine_t rcl_lifecycle_get_zero_initialized_state_machine() {return {};}

rcl_lifecycle_state_machine_options_t rcl_lifecycle_get_default_state_machine_options()
{
  return {true, true, rcl_get_default_allocator()};
}

const rcl_lifecycle_transition_t * rcl_lifecycle_get_transition_by_id(
  const rcl_lifecycle_state_t * state, uint8_t id)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(state, nullptr);
  return find(*state, [id](const rcl_lifecycle_transition_t & transition) {return transition.id == id;});
}

const rcl_lifecycle_transition_t * rcl_lifecycle_get_transition_by_label(
  const rcl_lifecycle_state_t * state, const char * label)
{
  RCL_CHECK_ARGUMENT_FOR_NULL(state, nullptr);
  RCL_CHECK_ARGUMENT_FOR_NULL(label, nullptr);
  return find(*state, [label](const rcl_lifecycle_transition_t & transition) {
      return std::strcmp(transition.label, label) == 0;
    });
}
