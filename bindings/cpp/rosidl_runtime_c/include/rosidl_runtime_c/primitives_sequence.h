/** Sequences of numbers, as the fields of messages in C have them. */
#ifndef ROSIDL_RUNTIME_C__PRIMITIVES_SEQUENCE_H_
#define ROSIDL_RUNTIME_C__PRIMITIVES_SEQUENCE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Calls `apply(name, type)` for each sequence of numbers. */
#define ROSIDL_RUNTIME_C__FOR_EACH_PRIMITIVE_SEQUENCE(apply) \
  apply(float, float) \
  apply(double, double) \
  apply(long_double, long double) \
  apply(char, signed char) \
  apply(wchar, uint16_t) \
  apply(boolean, bool) \
  apply(octet, uint8_t) \
  apply(uint8, uint8_t) \
  apply(int8, int8_t) \
  apply(uint16, uint16_t) \
  apply(int16, int16_t) \
  apply(uint32, uint32_t) \
  apply(int32, int32_t) \
  apply(uint64, uint64_t) \
  apply(int64, int64_t)

/** Defines `rosidl_runtime_c__<name>__Sequence`: `size` of `capacity` elements are in use. */
#define ROSIDL_RUNTIME_C__PRIMITIVE_SEQUENCE(name, type) \
  typedef struct rosidl_runtime_c__ ## name ## __Sequence \
  { \
    type * data; \
    size_t size; \
    size_t capacity; \
  } rosidl_runtime_c__ ## name ## __Sequence;

ROSIDL_RUNTIME_C__FOR_EACH_PRIMITIVE_SEQUENCE(ROSIDL_RUNTIME_C__PRIMITIVE_SEQUENCE)

/* Other names of the same types. */
typedef rosidl_runtime_c__float__Sequence rosidl_runtime_c__float32__Sequence;
typedef rosidl_runtime_c__double__Sequence rosidl_runtime_c__float64__Sequence;
typedef rosidl_runtime_c__boolean__Sequence rosidl_runtime_c__bool__Sequence;
typedef rosidl_runtime_c__octet__Sequence rosidl_runtime_c__byte__Sequence;

#endif  // ROSIDL_RUNTIME_C__PRIMITIVES_SEQUENCE_H_
