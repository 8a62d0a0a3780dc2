#ifndef ROSIDL_RUNTIME_C__MESSAGE_INITIALIZATION_H_
#define ROSIDL_RUNTIME_C__MESSAGE_INITIALIZATION_H_

/** What a new message has in its fields. */
enum rosidl_runtime_c__message_initialization
{
  /** The default of each field, or zero. */
  ROSIDL_RUNTIME_C_MSG_INIT_ALL,
  /** Nothing is set. */
  ROSIDL_RUNTIME_C_MSG_INIT_SKIP,
  /** Zero. */
  ROSIDL_RUNTIME_C_MSG_INIT_ZERO,
  /** Only the fields with a default are set. */
  ROSIDL_RUNTIME_C_MSG_INIT_DEFAULTS_ONLY
};

#endif  // ROSIDL_RUNTIME_C__MESSAGE_INITIALIZATION_H_
