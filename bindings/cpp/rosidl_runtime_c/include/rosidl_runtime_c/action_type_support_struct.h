#ifndef ROSIDL_RUNTIME_C__ACTION_TYPE_SUPPORT_STRUCT_H_
#define ROSIDL_RUNTIME_C__ACTION_TYPE_SUPPORT_STRUCT_H_

#include "rosidl_runtime_c/message_type_support_struct.h"
#include "rosidl_runtime_c/service_type_support_struct.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rosidl_action_type_support_t rosidl_action_type_support_t;

typedef const rosidl_type_hash_t * (* rosidl_action_get_type_hash_function)(
  const rosidl_action_type_support_t *);
typedef const struct rosidl_runtime_c__type_description__TypeDescription *
(* rosidl_action_get_type_description_function)(const rosidl_action_type_support_t *);
typedef const struct rosidl_runtime_c__type_description__TypeSource__Sequence *
(* rosidl_action_get_type_description_sources_function)(const rosidl_action_type_support_t *);

/** The services and messages that an action consists of. */
struct rosidl_action_type_support_t
{
  const rosidl_service_type_support_t * goal_service_type_support;
  const rosidl_service_type_support_t * result_service_type_support;
  const rosidl_service_type_support_t * cancel_service_type_support;
  const rosidl_message_type_support_t * feedback_message_type_support;
  const rosidl_message_type_support_t * status_message_type_support;
  rosidl_action_get_type_hash_function get_type_hash_func;
  rosidl_action_get_type_description_function get_type_description_func;
  rosidl_action_get_type_description_sources_function get_type_description_sources_func;
};

/** Calls the function that returns the type support of an action in C. */
#define ROSIDL_GET_ACTION_TYPE_SUPPORT(PkgName, ActionName) \
  ROSIDL_TYPESUPPORT_INTERFACE__ACTION_SYMBOL_NAME(rosidl_typesupport_c, PkgName, action, ActionName)()

#ifdef __cplusplus
}
#endif

#endif  // ROSIDL_RUNTIME_C__ACTION_TYPE_SUPPORT_STRUCT_H_
