#ifndef ROSIDL_TYPESUPPORT_C__TYPE_SUPPORT_MAP_H_
#define ROSIDL_TYPESUPPORT_C__TYPE_SUPPORT_MAP_H_

#include <stddef.h>

/** The kinds of type supports that a type has. */
typedef struct type_support_map_t
{
  const size_t size;
  const char * package_name;
  /** `size` kinds. */
  const char * const * typesupport_identifier;
  /** For each kind, the name of the function that returns the type support. */
  const char * const * symbol_name;
  /** For each kind, the library that is loaded, or NULL. */
  void ** data;
} type_support_map_t;

#endif
