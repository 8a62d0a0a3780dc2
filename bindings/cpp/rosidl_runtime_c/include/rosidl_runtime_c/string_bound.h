#ifndef ROSIDL_RUNTIME_C__STRING_BOUND_H_
#define ROSIDL_RUNTIME_C__STRING_BOUND_H_

#include <stddef.h>

/** The upper bound of a string in bytes. */
typedef struct rosidl_runtime_c__String__bound
{
  size_t bound;
} rosidl_runtime_c__String__bound;

#endif  // ROSIDL_RUNTIME_C__STRING_BOUND_H_
