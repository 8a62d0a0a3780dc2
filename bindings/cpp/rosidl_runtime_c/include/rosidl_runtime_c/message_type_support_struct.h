#ifndef ROSIDL_RUNTIME_C__MESSAGE_TYPE_SUPPORT_STRUCT_H_
#define ROSIDL_RUNTIME_C__MESSAGE_TYPE_SUPPORT_STRUCT_H_

#include "rosidl_runtime_c/type_hash.h"
#include "rosidl_runtime_c/visibility_control.h"
#include "rosidl_typesupport_interface/macros.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rosidl_message_type_support_t rosidl_message_type_support_t;
struct rosidl_runtime_c__type_description__TypeDescription;
struct rosidl_runtime_c__type_description__TypeSource__Sequence;

/** Returns the support of another kind for the same type, or NULL. */
typedef const rosidl_message_type_support_t * (* rosidl_message_typesupport_handle_function)(
  const rosidl_message_type_support_t *, const char *);
/** Returns the hash of the type. */
typedef const rosidl_type_hash_t * (* rosidl_message_get_type_hash_function)(
  const rosidl_message_type_support_t *);
/** Returns the description of the type, or NULL. */
typedef const struct rosidl_runtime_c__type_description__TypeDescription *
(* rosidl_message_get_type_description_function)(const rosidl_message_type_support_t *);
/** Returns the sources of the description, or NULL. */
typedef const struct rosidl_runtime_c__type_description__TypeSource__Sequence *
(* rosidl_message_get_type_description_sources_function)(const rosidl_message_type_support_t *);

/** What a library for messages needs to know of a type. */
struct rosidl_message_type_support_t
{
  /** The name of the library that understands data. */
  const char * typesupport_identifier;
  const void * data;
  rosidl_message_typesupport_handle_function func;
  rosidl_message_get_type_hash_function get_type_hash_func;
  rosidl_message_get_type_description_function get_type_description_func;
  rosidl_message_get_type_description_sources_function get_type_description_sources_func;
};

/** Calls the function that returns the type support of a message in C. */
#define ROSIDL_GET_MSG_TYPE_SUPPORT(PkgName, MsgSubfolder, MsgName) \
  ROSIDL_TYPESUPPORT_INTERFACE__MESSAGE_SYMBOL_NAME(rosidl_typesupport_c, PkgName, MsgSubfolder, MsgName)()

/** Returns the support of the kind `identifier` for the type of a handle, or NULL. */
ROSIDL_GENERATOR_C_PUBLIC
const rosidl_message_type_support_t * get_message_typesupport_handle(
  const rosidl_message_type_support_t * handle, const char * identifier);

#ifdef __cplusplus
}
#endif

#endif  // ROSIDL_RUNTIME_C__MESSAGE_TYPE_SUPPORT_STRUCT_H_
