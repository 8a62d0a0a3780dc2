// The fields of a message, for programs that do not know its type.
#ifndef ROSIDL_TYPESUPPORT_INTROSPECTION_CPP__MESSAGE_INTROSPECTION_HPP_
#define ROSIDL_TYPESUPPORT_INTROSPECTION_CPP__MESSAGE_INTROSPECTION_HPP_

#include <cstddef>
#include <cstdint>

#include "rosidl_runtime_c/message_type_support_struct.h"
#include "rosidl_runtime_cpp/message_initialization.hpp"

namespace rosidl_typesupport_introspection_cpp
{

/// A field of a message.
typedef struct MessageMember_s
{
  const char * name_;
  /// One of ROS_TYPE_….
  uint8_t type_id_;
  /// The most characters of a string; 0 if there is no bound.
  size_t string_upper_bound_;
  /// The type of a nested message, otherwise NULL.
  const rosidl_message_type_support_t * members_;
  bool is_key_;
  /// True for arrays and sequences.
  bool is_array_;
  /// The size of an array, or the bound of a sequence; 0 if there is no bound.
  size_t array_size_;
  bool is_upper_bound_;
  /// The place in the message, in bytes.
  uint32_t offset_;
  /// The value of a new message, or NULL.
  const void * default_value_;

  // The functions of arrays and sequences; NULL if there are none. The first argument is the field.
  size_t (* size_function)(const void *);
  const void * (*get_const_function)(const void *, size_t index);
  void * (*get_function)(void *, size_t index);
  void (* fetch_function)(const void *, size_t index, void * value);
  void (* assign_function)(void *, size_t index, const void * value);
  void (* resize_function)(void *, size_t size);
} MessageMember;

/// A type of messages.
typedef struct MessageMembers_s
{
  /// For example "std_msgs::msg".
  const char * message_namespace_;
  /// For example "String".
  const char * message_name_;
  uint32_t member_count_;
  /// The bytes of a message.
  size_t size_of_;
  bool has_any_key_member_;
  const MessageMember * members_;
  /// Constructs a message in memory.
  void (* init_function)(void *, rosidl_runtime_cpp::MessageInitialization);
  /// Destroys a message in memory.
  void (* fini_function)(void *);
} MessageMembers;

}  // namespace rosidl_typesupport_introspection_cpp

#endif  // ROSIDL_TYPESUPPORT_INTROSPECTION_CPP__MESSAGE_INTROSPECTION_HPP_
