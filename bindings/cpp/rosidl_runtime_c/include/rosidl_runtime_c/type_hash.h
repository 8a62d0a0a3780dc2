#ifndef ROSIDL_RUNTIME_C__TYPE_HASH_H_
#define ROSIDL_RUNTIME_C__TYPE_HASH_H_

#include <stdint.h>

#define ROSIDL_TYPE_HASH_VERSION_UNSET 0
#define ROSIDL_TYPE_HASH_SIZE 32

/** The hash of a type (REP 2016). Version 1 is RIHS01: the SHA-256 of the description of the type. */
typedef struct rosidl_type_hash_s
{
  uint8_t version;
  uint8_t value[ROSIDL_TYPE_HASH_SIZE];
} rosidl_type_hash_t;

#endif  // ROSIDL_RUNTIME_C__TYPE_HASH_H_
