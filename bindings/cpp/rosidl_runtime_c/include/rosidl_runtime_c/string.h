/** Strings and sequences of strings, as the fields of messages in C have them. */
#ifndef ROSIDL_RUNTIME_C__STRING_H_
#define ROSIDL_RUNTIME_C__STRING_H_

#include <stddef.h>

/** A string. */
typedef struct rosidl_runtime_c__String
{
  /** The bytes, then a zero. */
  char * data;
  /** The number of bytes without the zero. */
  size_t size;
  /** The bytes of memory, with the zero. */
  size_t capacity;
} rosidl_runtime_c__String;

/** A sequence of strings: `size` of `capacity` elements are in use. */
typedef struct rosidl_runtime_c__String__Sequence
{
  rosidl_runtime_c__String * data;
  size_t size;
  size_t capacity;
} rosidl_runtime_c__String__Sequence;

#endif  // ROSIDL_RUNTIME_C__STRING_H_
