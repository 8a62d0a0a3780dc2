#ifndef ROSIDL_RUNTIME_C__VISIBILITY_CONTROL_H_
#define ROSIDL_RUNTIME_C__VISIBILITY_CONTROL_H_

#define ROSIDL_GENERATOR_C_EXPORT __attribute__((visibility("default")))
#define ROSIDL_GENERATOR_C_IMPORT
#define ROSIDL_GENERATOR_C_PUBLIC __attribute__((visibility("default")))

#endif  // ROSIDL_RUNTIME_C__VISIBILITY_CONTROL_H_
