#ifndef RCLCPP__SERIALIZATION_HPP_
#define RCLCPP__SERIALIZATION_HPP_

#include <type_traits>

#include "rclcpp/get_message_type_support_handle.hpp"
#include "rclcpp/serialized_message.hpp"
#include "rclcpp/visibility_control.hpp"

namespace rclcpp
{

/// Writes messages of a type as bytes, and reads them.
class RCLCPP_PUBLIC SerializationBase
{
public:
  explicit SerializationBase(const rosidl_message_type_support_t * type_support);
  virtual ~SerializationBase() = default;

  /// \throws rclcpp::exceptions::RCLError if a text exceeds its bound
  void serialize_message(const void * ros_message, SerializedMessage * serialized_message) const;
  /// \throws rclcpp::exceptions::RCLError if the bytes are not a message of the type
  void deserialize_message(const SerializedMessage * serialized_message, void * ros_message) const;

private:
  const rosidl_message_type_support_t * type_support_;
};

template<typename MessageT>
class Serialization : public SerializationBase
{
public:
  Serialization()
  : SerializationBase(get_message_type_support_handle<MessageT>())
  {
    static_assert(
      !std::is_same_v<MessageT, SerializedMessage>, "Serialization of a serialized message makes no sense");
  }
};

}  // namespace rclcpp

#endif  // RCLCPP__SERIALIZATION_HPP_
