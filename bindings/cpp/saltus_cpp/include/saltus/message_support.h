/* What the type supports of generated code refer to: how messages of a type are made, written and read. */
#ifndef SALTUS__MESSAGE_SUPPORT_H_
#define SALTUS__MESSAGE_SUPPORT_H_

#include <stddef.h>
#include <stdint.h>

#include "rosidl_runtime_c/message_type_support_struct.h"
#include "rosidl_runtime_c/service_type_support_struct.h"

/** How messages of a type are made, written and read. */
typedef struct saltus_message_support_t
{
  /** The size of this struct. */
  size_t struct_size;
  /** The name of the type, such as "std_msgs/msg/String". */
  const char * name;
  /** The hash of the type. */
  rosidl_type_hash_t hash;
  /** The description of the type as JSON (REP 2016). */
  const char * description;
  /** Returns how many bytes a message takes, the encapsulation included. Writes the name of a field that exceeds its bound, or
   * NULL. */
  size_t (* size)(const void * message, const char ** too_long);
  /** Writes a message into as many bytes. */
  void (* write)(const void * message, uint8_t * bytes);
  /** Reads a message. Returns why it can't be read, or NULL. */
  const char * (* read)(void * message, const uint8_t * bytes, size_t size);
  /** Makes a message with the defaults of its fields. */
  void * (* create)(void);
  /** Deletes a message. */
  void (* destroy)(void * message);
} saltus_message_support_t;

/** What a service consists of. */
typedef struct saltus_service_support_t
{
  /** The size of this struct. */
  size_t struct_size;
  /** The name of the type, such as "std_srvs/srv/Trigger". */
  const char * name;
  /** The hash of the type. */
  rosidl_type_hash_t hash;
  /** The description of the type as JSON (REP 2016). */
  const char * description;
  /** The type of its requests. */
  const rosidl_message_type_support_t * request;
  /** The type of its responses. */
  const rosidl_message_type_support_t * response;
  /** The type of its events. */
  const rosidl_message_type_support_t * event;
} saltus_service_support_t;

#endif  // SALTUS__MESSAGE_SUPPORT_H_
