/** Functions of strings of UTF-16 and of sequences of them. */
#ifndef ROSIDL_RUNTIME_C__U16STRING_FUNCTIONS_H_
#define ROSIDL_RUNTIME_C__U16STRING_FUNCTIONS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rosidl_runtime_c/u16string.h"
#include "rosidl_runtime_c/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Makes an empty string; returns false if it is NULL or there is no memory. */
ROSIDL_GENERATOR_C_PUBLIC bool rosidl_runtime_c__U16String__init(rosidl_runtime_c__U16String * str);

/** Frees the memory of a string; NULL is allowed. */
ROSIDL_GENERATOR_C_PUBLIC void rosidl_runtime_c__U16String__fini(rosidl_runtime_c__U16String * str);

/** Compares two strings; returns false if one is NULL. */
ROSIDL_GENERATOR_C_PUBLIC
bool rosidl_runtime_c__U16String__are_equal(
  const rosidl_runtime_c__U16String * lhs, const rosidl_runtime_c__U16String * rhs);

/** Sets a string that is initialized to another; returns false if an argument is NULL or there is no memory. */
ROSIDL_GENERATOR_C_PUBLIC
bool rosidl_runtime_c__U16String__copy(
  const rosidl_runtime_c__U16String * input, rosidl_runtime_c__U16String * output);

/** Sets a string to the first `n` code units of `value`; returns false if an argument is NULL or there is no memory. */
ROSIDL_GENERATOR_C_PUBLIC
bool rosidl_runtime_c__U16String__assignn(rosidl_runtime_c__U16String * str, const uint16_t * value, size_t n);

/** Sets a string to the code units in the first `n` bytes of `value`; returns false if `n` is odd, too. */
ROSIDL_GENERATOR_C_PUBLIC
bool rosidl_runtime_c__U16String__assignn_from_char(rosidl_runtime_c__U16String * str, const char * value, size_t n);

/** Sets a string to code units that end with a zero; returns false if an argument is NULL or there is no memory. */
ROSIDL_GENERATOR_C_PUBLIC
bool rosidl_runtime_c__U16String__assign(rosidl_runtime_c__U16String * str, const uint16_t * value);

/** Returns the number of code units before the zero; 0 if the value is NULL. */
ROSIDL_GENERATOR_C_PUBLIC size_t rosidl_runtime_c__U16String__len(const uint16_t * value);

/** Sets the size; new code units are not set. Returns false if the string is NULL or there is no memory. */
ROSIDL_GENERATOR_C_PUBLIC bool rosidl_runtime_c__U16String__resize(rosidl_runtime_c__U16String * str, size_t n);

/** Makes a sequence of empty strings; returns false if it is NULL or there is no memory. */
ROSIDL_GENERATOR_C_PUBLIC
bool rosidl_runtime_c__U16String__Sequence__init(rosidl_runtime_c__U16String__Sequence * sequence, size_t size);

/** Frees the strings of a sequence; NULL is allowed. */
ROSIDL_GENERATOR_C_PUBLIC
void rosidl_runtime_c__U16String__Sequence__fini(rosidl_runtime_c__U16String__Sequence * sequence);

/** Compares two sequences; returns false if one is NULL. */
ROSIDL_GENERATOR_C_PUBLIC
bool rosidl_runtime_c__U16String__Sequence__are_equal(
  const rosidl_runtime_c__U16String__Sequence * lhs, const rosidl_runtime_c__U16String__Sequence * rhs);

/** Sets a sequence that is initialized to another; returns false if an argument is NULL or there is no memory. */
ROSIDL_GENERATOR_C_PUBLIC
bool rosidl_runtime_c__U16String__Sequence__copy(
  const rosidl_runtime_c__U16String__Sequence * input, rosidl_runtime_c__U16String__Sequence * output);

/** Returns a new sequence of empty strings, or NULL if there is no memory. */
ROSIDL_GENERATOR_C_PUBLIC
rosidl_runtime_c__U16String__Sequence * rosidl_runtime_c__U16String__Sequence__create(size_t size);

/** Deletes a sequence of rosidl_runtime_c__U16String__Sequence__create; NULL is allowed. */
ROSIDL_GENERATOR_C_PUBLIC
void rosidl_runtime_c__U16String__Sequence__destroy(rosidl_runtime_c__U16String__Sequence * sequence);

#ifdef __cplusplus
}
#endif

#endif  // ROSIDL_RUNTIME_C__U16STRING_FUNCTIONS_H_
