#ifndef ROSIDL_RUNTIME_C__SEQUENCE_BOUND_H_
#define ROSIDL_RUNTIME_C__SEQUENCE_BOUND_H_

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rosidl_runtime_c__Sequence__bound rosidl_runtime_c__Sequence__bound;

/** Returns the bounds of another kind for the same type, or NULL. */
typedef const rosidl_runtime_c__Sequence__bound * (* rosidl_runtime_c__bound_handle_function)(
  const rosidl_runtime_c__Sequence__bound *, const char *);

/** The upper bounds of the sequences of a type. */
struct rosidl_runtime_c__Sequence__bound
{
  /** The name of the library that understands data. */
  const char * typesupport_identifier;
  const void * data;
  rosidl_runtime_c__bound_handle_function func;
};

#ifdef __cplusplus
}
#endif

#endif  // ROSIDL_RUNTIME_C__SEQUENCE_BOUND_H_
