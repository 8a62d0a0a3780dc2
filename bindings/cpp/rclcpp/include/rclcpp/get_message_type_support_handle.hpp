#ifndef RCLCPP__GET_MESSAGE_TYPE_SUPPORT_HANDLE_HPP_
#define RCLCPP__GET_MESSAGE_TYPE_SUPPORT_HANDLE_HPP_

#include "rclcpp/type_adapter.hpp"
#include "rosidl_runtime_cpp/traits.hpp"
#include "rosidl_typesupport_cpp/message_type_support.hpp"

namespace rclcpp
{

/// Returns the type support of a message, or of the message that an adapted type stands for.
template<typename MessageT>
const rosidl_message_type_support_t & get_message_type_support_handle_reference()
{
  return *rosidl_typesupport_cpp::get_message_type_support_handle<typename TypeAdapter<MessageT>::ros_message_type>();
}

template<typename MessageT>
const rosidl_message_type_support_t * get_message_type_support_handle()
{
  using ROSMessage = typename TypeAdapter<MessageT>::ros_message_type;
  static_assert(
    rosidl_generator_traits::is_message<ROSMessage>::value,
    "the type is no message of ROS 2: include its header, and not only its struct");
  return rosidl_typesupport_cpp::get_message_type_support_handle<ROSMessage>();
}

}  // namespace rclcpp

#endif  // RCLCPP__GET_MESSAGE_TYPE_SUPPORT_HANDLE_HPP_
