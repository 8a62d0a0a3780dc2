#include "rclcpp/serialized_message.hpp"

#include <cstring>
#include <utility>

#include "libsaltus.hpp"
#include "rclcpp/serialization.hpp"
#include "rcpputils/asserts.hpp"
#include "rcutils/error_handling.h"

namespace rclcpp
{
namespace
{

rcl_serialized_message_t empty(const rcl_allocator_t & allocator)
{
  rcl_serialized_message_t message = rcutils_get_zero_initialized_uint8_array();
  message.allocator = allocator;
  return message;
}

void resize(rcl_serialized_message_t & message, size_t capacity)
{
  if (rcutils_uint8_array_resize(&message, capacity) != RCUTILS_RET_OK) {
    throw exceptions::RCLBadAlloc(RCL_RET_BAD_ALLOC, "no memory for the bytes of a message");
  }
}

void copy(rcl_serialized_message_t & to, const rcl_serialized_message_t & from)
{
  if (from.buffer_capacity > to.buffer_capacity) {
    resize(to, from.buffer_capacity);
  }
  if (from.buffer_length != 0) {
    std::memcpy(to.buffer, from.buffer, from.buffer_length);
  }
  to.buffer_length = from.buffer_length;
}

}  // namespace

SerializedMessage::SerializedMessage(const rcl_allocator_t & allocator)
: SerializedMessage(0u, allocator) {}

SerializedMessage::SerializedMessage(size_t initial_capacity, const rcl_allocator_t & allocator)
: serialized_message_(empty(allocator))
{
  if (initial_capacity != 0) {
    resize(serialized_message_, initial_capacity);
  }
}

SerializedMessage::SerializedMessage(const SerializedMessage & other)
: SerializedMessage(other.serialized_message_) {}

SerializedMessage::SerializedMessage(const rcl_serialized_message_t & other)
: serialized_message_(empty(other.allocator))
{
  copy(serialized_message_, other);
}

SerializedMessage::SerializedMessage(SerializedMessage && other)
: serialized_message_(std::exchange(other.serialized_message_, empty(other.serialized_message_.allocator))) {}

SerializedMessage::SerializedMessage(rcl_serialized_message_t && other)
: serialized_message_(std::exchange(other, rcutils_get_zero_initialized_uint8_array())) {}

SerializedMessage & SerializedMessage::operator=(const SerializedMessage & other)
{
  if (this != &other) {
    copy(serialized_message_, other.serialized_message_);
  }
  return *this;
}

SerializedMessage & SerializedMessage::operator=(const rcl_serialized_message_t & other)
{
  if (&serialized_message_ != &other) {
    copy(serialized_message_, other);
  }
  return *this;
}

SerializedMessage & SerializedMessage::operator=(SerializedMessage && other)
{
  std::swap(serialized_message_, other.serialized_message_);
  return *this;
}

SerializedMessage & SerializedMessage::operator=(rcl_serialized_message_t && other)
{
  if (&serialized_message_ != &other) {
    *this = SerializedMessage(std::move(other));
  }
  return *this;
}

SerializedMessage::~SerializedMessage()
{
  if (serialized_message_.buffer != nullptr && rcutils_uint8_array_fini(&serialized_message_) != RCUTILS_RET_OK) {
    rcutils_reset_error();
  }
}

void SerializedMessage::reserve(size_t capacity) {resize(serialized_message_, capacity);}

rcl_serialized_message_t SerializedMessage::release_rcl_serialized_message()
{
  return std::exchange(serialized_message_, empty(serialized_message_.allocator));
}

SerializationBase::SerializationBase(const rosidl_message_type_support_t * type_support)
: type_support_(type_support)
{
  rcpputils::check_true(type_support != nullptr, "Typesupport is nullpointer.");
}

void SerializationBase::serialize_message(const void * ros_message, SerializedMessage * serialized_message) const
{
  rcpputils::check_true(ros_message != nullptr, "ROS message is nullpointer.");
  rcpputils::check_true(serialized_message != nullptr, "Serialized message is nullpointer.");
  const saltus::MessageSupport & support = detail::support_of(type_support_);
  const char * too_long = nullptr;
  const size_t size = support.size(ros_message, &too_long);
  if (too_long != nullptr) {
    throw exceptions::RCLError(
            RCL_RET_ERROR, "the text of the field '" + std::string(too_long) + "' exceeds its bound",
            "Failed to serialize ROS message.");
  }
  if (serialized_message->capacity() < size) {
    serialized_message->reserve(size);
  }
  support.write(ros_message, serialized_message->get_rcl_serialized_message().buffer);
  serialized_message->get_rcl_serialized_message().buffer_length = size;
}

void SerializationBase::deserialize_message(const SerializedMessage * serialized_message, void * ros_message) const
{
  rcpputils::check_true(ros_message != nullptr, "ROS message is a nullpointer.");
  rcpputils::check_true(serialized_message != nullptr, "Serialized message is nullpointer.");
  rcpputils::check_true(
    serialized_message->capacity() != 0 && serialized_message->size() != 0,
    "Wrongly initialized. Serialized message has no bytes.");
  const auto & bytes = serialized_message->get_rcl_serialized_message();
  const char * fault = detail::support_of(type_support_).read(ros_message, bytes.buffer, bytes.buffer_length);
  if (fault != nullptr) {
    throw exceptions::RCLError(RCL_RET_ERROR, fault, "Failed to deserialize ROS message.");
  }
}

}  // namespace rclcpp
