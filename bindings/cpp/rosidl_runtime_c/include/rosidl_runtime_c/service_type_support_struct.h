#ifndef ROSIDL_RUNTIME_C__SERVICE_TYPE_SUPPORT_STRUCT_H_
#define ROSIDL_RUNTIME_C__SERVICE_TYPE_SUPPORT_STRUCT_H_

#include <stdbool.h>
#include <stdint.h>

#include "rosidl_runtime_c/message_type_support_struct.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rosidl_service_type_support_t rosidl_service_type_support_t;
typedef struct rosidl_service_introspection_info_s rosidl_service_introspection_info_t;
struct rcutils_allocator_s;

typedef const rosidl_service_type_support_t * (* rosidl_service_typesupport_handle_function)(
  const rosidl_service_type_support_t *, const char *);
typedef const rosidl_type_hash_t * (* rosidl_service_get_type_hash_function)(
  const rosidl_service_type_support_t *);
typedef const struct rosidl_runtime_c__type_description__TypeDescription *
(* rosidl_service_get_type_description_function)(const rosidl_service_type_support_t *);
typedef const struct rosidl_runtime_c__type_description__TypeSource__Sequence *
(* rosidl_service_get_type_description_sources_function)(const rosidl_service_type_support_t *);
typedef void * (* rosidl_event_message_create_handle_function)(
  const rosidl_service_introspection_info_t *, struct rcutils_allocator_s *, const void *, const void *);
typedef bool (* rosidl_event_message_destroy_handle_function)(void *, struct rcutils_allocator_s *);

/** What a library for services needs to know of a type. */
struct rosidl_service_type_support_t
{
  /** The name of the library that understands data. */
  const char * typesupport_identifier;
  const void * data;
  rosidl_service_typesupport_handle_function func;
  const rosidl_message_type_support_t * request_typesupport;
  const rosidl_message_type_support_t * response_typesupport;
  const rosidl_message_type_support_t * event_typesupport;
  rosidl_event_message_create_handle_function event_message_create_handle_function;
  rosidl_event_message_destroy_handle_function event_message_destroy_handle_function;
  rosidl_service_get_type_hash_function get_type_hash_func;
  rosidl_service_get_type_description_function get_type_description_func;
  rosidl_service_get_type_description_sources_function get_type_description_sources_func;
};

/** Calls the function that returns the type support of a service in C. */
#define ROSIDL_GET_SRV_TYPE_SUPPORT(PkgName, SrvSubfolder, SrvName) \
  ROSIDL_TYPESUPPORT_INTERFACE__SERVICE_SYMBOL_NAME(rosidl_typesupport_c, PkgName, SrvSubfolder, SrvName)()

/** Returns the support of the kind `identifier` for the type of a handle, or NULL. */
ROSIDL_GENERATOR_C_PUBLIC
const rosidl_service_type_support_t * get_service_typesupport_handle(
  const rosidl_service_type_support_t * handle, const char * identifier);

#ifdef __cplusplus
}
#endif

#endif  // ROSIDL_RUNTIME_C__SERVICE_TYPE_SUPPORT_STRUCT_H_
