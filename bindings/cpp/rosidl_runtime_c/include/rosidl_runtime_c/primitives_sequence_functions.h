/**
 * Functions of the sequences of numbers: `rosidl_runtime_c__<name>__Sequence__<function>`.
 *
 * `init` makes a sequence of zeros; it returns false if the sequence is NULL or there is no memory. `fini` frees the
 * elements; NULL is allowed. `are_equal` compares size and elements; it returns false if an argument is NULL. `copy`
 * sets a sequence that is initialized to the elements of another; it returns false if an argument is NULL or there is
 * no memory, and then the output is unchanged.
 */
#ifndef ROSIDL_RUNTIME_C__PRIMITIVES_SEQUENCE_FUNCTIONS_H_
#define ROSIDL_RUNTIME_C__PRIMITIVES_SEQUENCE_FUNCTIONS_H_

#include <stdbool.h>
#include <stddef.h>

#include "rosidl_runtime_c/primitives_sequence.h"
#include "rosidl_runtime_c/visibility_control.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Declares the functions `rosidl_runtime_c__<name>__Sequence__…` for the sequence of `element`. */
#define ROSIDL_RUNTIME_C__DECLARE_SEQUENCE_FUNCTIONS(name, element) \
  ROSIDL_GENERATOR_C_PUBLIC \
  bool rosidl_runtime_c__ ## name ## __Sequence__init( \
    rosidl_runtime_c__ ## element ## __Sequence * sequence, size_t size); \
  ROSIDL_GENERATOR_C_PUBLIC \
  void rosidl_runtime_c__ ## name ## __Sequence__fini(rosidl_runtime_c__ ## element ## __Sequence * sequence); \
  ROSIDL_GENERATOR_C_PUBLIC \
  bool rosidl_runtime_c__ ## name ## __Sequence__are_equal( \
    const rosidl_runtime_c__ ## element ## __Sequence * lhs, \
    const rosidl_runtime_c__ ## element ## __Sequence * rhs); \
  ROSIDL_GENERATOR_C_PUBLIC \
  bool rosidl_runtime_c__ ## name ## __Sequence__copy( \
    const rosidl_runtime_c__ ## element ## __Sequence * input, \
    rosidl_runtime_c__ ## element ## __Sequence * output);

/** Declares the functions of a sequence from the list of all sequences. */
#define ROSIDL_RUNTIME_C__DECLARE_OWN_SEQUENCE_FUNCTIONS(name, type) \
  ROSIDL_RUNTIME_C__DECLARE_SEQUENCE_FUNCTIONS(name, name)

ROSIDL_RUNTIME_C__FOR_EACH_PRIMITIVE_SEQUENCE(ROSIDL_RUNTIME_C__DECLARE_OWN_SEQUENCE_FUNCTIONS)

/* Other names of the same functions. */
ROSIDL_RUNTIME_C__DECLARE_SEQUENCE_FUNCTIONS(bool, boolean)
ROSIDL_RUNTIME_C__DECLARE_SEQUENCE_FUNCTIONS(byte, octet)
ROSIDL_RUNTIME_C__DECLARE_SEQUENCE_FUNCTIONS(float32, float)
ROSIDL_RUNTIME_C__DECLARE_SEQUENCE_FUNCTIONS(float64, double)

#ifdef __cplusplus
}
#endif

#endif  // ROSIDL_RUNTIME_C__PRIMITIVES_SEQUENCE_FUNCTIONS_H_
