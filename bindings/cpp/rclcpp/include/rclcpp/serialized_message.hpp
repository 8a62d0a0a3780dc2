#ifndef RCLCPP__SERIALIZED_MESSAGE_HPP_
#define RCLCPP__SERIALIZED_MESSAGE_HPP_

#include "rcl/allocator.h"
#include "rcl/types.h"
#include "rclcpp/macros.hpp"
#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{

/// The bytes of a message: the 4 bytes of the encapsulation, then its fields in CDR.
class RCLCPP_PUBLIC SerializedMessage
{
public:
  RCLCPP_SMART_PTR_DEFINITIONS(SerializedMessage)

  explicit SerializedMessage(const rcl_allocator_t & allocator = rcl_get_default_allocator());
  SerializedMessage(size_t initial_capacity, const rcl_allocator_t & allocator = rcl_get_default_allocator());
  SerializedMessage(const SerializedMessage & other);
  explicit SerializedMessage(const rcl_serialized_message_t & other);
  SerializedMessage(SerializedMessage && other);
  explicit SerializedMessage(rcl_serialized_message_t && other);
  SerializedMessage & operator=(const SerializedMessage & other);
  SerializedMessage & operator=(const rcl_serialized_message_t & other);
  SerializedMessage & operator=(SerializedMessage && other);
  SerializedMessage & operator=(rcl_serialized_message_t && other);
  virtual ~SerializedMessage();

  rcl_serialized_message_t & get_rcl_serialized_message() {return serialized_message_;}
  const rcl_serialized_message_t & get_rcl_serialized_message() const {return serialized_message_;}
  /// Returns the number of bytes.
  size_t size() const {return serialized_message_.buffer_length;}
  /// Returns the number of bytes that fit without new memory.
  size_t capacity() const {return serialized_message_.buffer_capacity;}
  /// Makes room for bytes.
  void reserve(size_t capacity);
  /// Gives the memory to the caller, who must free it.
  rcl_serialized_message_t release_rcl_serialized_message();

private:
  rcl_serialized_message_t serialized_message_;
};

}  // namespace rclcpp

#endif  // RCLCPP__SERIALIZED_MESSAGE_HPP_
