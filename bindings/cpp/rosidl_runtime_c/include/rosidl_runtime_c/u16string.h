/** Strings of UTF-16, as the fields of messages in C have them. */
#ifndef ROSIDL_RUNTIME_C__U16STRING_H_
#define ROSIDL_RUNTIME_C__U16STRING_H_

#include <stddef.h>
#include <stdint.h>

/** A string of UTF-16. */
typedef struct rosidl_runtime_c__U16String
{
  /** The code units, then a zero. */
  uint_least16_t * data;
  /** The number of code units without the zero. */
  size_t size;
  /** The code units of memory, with the zero. */
  size_t capacity;
} rosidl_runtime_c__U16String;

/** A sequence of strings: `size` of `capacity` elements are in use. */
typedef struct rosidl_runtime_c__U16String__Sequence
{
  rosidl_runtime_c__U16String * data;
  size_t size;
  size_t capacity;
} rosidl_runtime_c__U16String__Sequence;

#endif  // ROSIDL_RUNTIME_C__U16STRING_H_
