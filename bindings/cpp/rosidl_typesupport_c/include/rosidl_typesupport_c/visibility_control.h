/** Visibility of functions. */
#ifndef ROSIDL_TYPESUPPORT_C__VISIBILITY_CONTROL_H_
#define ROSIDL_TYPESUPPORT_C__VISIBILITY_CONTROL_H_

#define ROSIDL_TYPESUPPORT_C_EXPORT __attribute__((visibility("default")))
#define ROSIDL_TYPESUPPORT_C_IMPORT
#define ROSIDL_TYPESUPPORT_C_PUBLIC ROSIDL_TYPESUPPORT_C_EXPORT
#define ROSIDL_TYPESUPPORT_C_LOCAL __attribute__((visibility("hidden")))

#endif
