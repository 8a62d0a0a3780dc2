#ifndef RCLCPP__IS_ROS_COMPATIBLE_TYPE_HPP_
#define RCLCPP__IS_ROS_COMPATIBLE_TYPE_HPP_

#include "rclcpp/type_adapter.hpp"
#include "rosidl_runtime_cpp/traits.hpp"

namespace rclcpp
{

/// Whether messages of a type can be published: it is a message, or stands for one.
template<typename T>
struct is_ros_compatible_type
{
  static constexpr bool value =
    rosidl_generator_traits::is_message<T>::value || TypeAdapter<T>::is_specialized::value;
};

}  // namespace rclcpp

#endif  // RCLCPP__IS_ROS_COMPATIBLE_TYPE_HPP_
