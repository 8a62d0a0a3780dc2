/** Functions of strings and of sequences of strings. */
#ifndef ROSIDL_RUNTIME_C__STRING_FUNCTIONS_H_
#define ROSIDL_RUNTIME_C__STRING_FUNCTIONS_H_

#include <stdbool.h>
#include <stddef.h>

#include "rosidl_runtime_c/string.h"
#include "rosidl_runtime_c/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Makes an empty string; returns false if it is NULL or there is no memory. */
ROSIDL_GENERATOR_C_PUBLIC bool rosidl_runtime_c__String__init(rosidl_runtime_c__String * str);

/** Frees the memory of a string; NULL is allowed. */
ROSIDL_GENERATOR_C_PUBLIC void rosidl_runtime_c__String__fini(rosidl_runtime_c__String * str);

/** Sets a string that is initialized to another; returns false if an argument is NULL or there is no memory. */
ROSIDL_GENERATOR_C_PUBLIC
bool rosidl_runtime_c__String__copy(const rosidl_runtime_c__String * input, rosidl_runtime_c__String * output);

/** Compares two strings; returns false if one is NULL. */
ROSIDL_GENERATOR_C_PUBLIC
bool rosidl_runtime_c__String__are_equal(const rosidl_runtime_c__String * lhs, const rosidl_runtime_c__String * rhs);

/** Sets a string to the first `n` bytes of `value`; returns false if an argument is NULL or there is no memory. */
ROSIDL_GENERATOR_C_PUBLIC
bool rosidl_runtime_c__String__assignn(rosidl_runtime_c__String * str, const char * value, size_t n);

/** Sets a string; returns false if an argument is NULL or there is no memory. */
ROSIDL_GENERATOR_C_PUBLIC
bool rosidl_runtime_c__String__assign(rosidl_runtime_c__String * str, const char * value);

/** Makes a sequence of empty strings; returns false if it is NULL or there is no memory. */
ROSIDL_GENERATOR_C_PUBLIC
bool rosidl_runtime_c__String__Sequence__init(rosidl_runtime_c__String__Sequence * sequence, size_t size);

/** Frees the strings of a sequence; NULL is allowed. */
ROSIDL_GENERATOR_C_PUBLIC
void rosidl_runtime_c__String__Sequence__fini(rosidl_runtime_c__String__Sequence * sequence);

/** Compares two sequences; returns false if one is NULL. */
ROSIDL_GENERATOR_C_PUBLIC
bool rosidl_runtime_c__String__Sequence__are_equal(
  const rosidl_runtime_c__String__Sequence * lhs, const rosidl_runtime_c__String__Sequence * rhs);

/** Sets a sequence that is initialized to another; returns false if an argument is NULL or there is no memory. */
ROSIDL_GENERATOR_C_PUBLIC
bool rosidl_runtime_c__String__Sequence__copy(
  const rosidl_runtime_c__String__Sequence * input, rosidl_runtime_c__String__Sequence * output);

/** Returns a new sequence of empty strings, or NULL if there is no memory. */
ROSIDL_GENERATOR_C_PUBLIC
rosidl_runtime_c__String__Sequence * rosidl_runtime_c__String__Sequence__create(size_t size);

/** Deletes a sequence of rosidl_runtime_c__String__Sequence__create; NULL is allowed. */
ROSIDL_GENERATOR_C_PUBLIC
void rosidl_runtime_c__String__Sequence__destroy(rosidl_runtime_c__String__Sequence * sequence);

#ifdef __cplusplus
}
#endif

#endif  // ROSIDL_RUNTIME_C__STRING_FUNCTIONS_H_
