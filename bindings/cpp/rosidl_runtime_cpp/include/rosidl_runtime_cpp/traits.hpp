#ifndef ROSIDL_RUNTIME_CPP__TRAITS_HPP_
#define ROSIDL_RUNTIME_CPP__TRAITS_HPP_

// Programs use these headers without including them, because each generated header of a message includes them.
#include <cstdint>
#include <iomanip>
#include <sstream>
#include <string>
#include <type_traits>

namespace rosidl_generator_traits
{

/// Returns the name of a type in C++, such as `std_msgs::msg::String`.
template<typename T>
inline const char * data_type();

/// Returns the name of a type in ROS 2, such as `std_msgs/msg/String`.
template<typename T>
inline const char * name();

/// Whether all messages of a type have the same size.
template<typename T>
struct has_fixed_size : std::false_type {};

/// Whether there is a largest size of messages of a type.
template<typename T>
struct has_bounded_size : std::false_type {};

/// Whether a type is a message. The parts of services and actions are messages too.
template<typename T>
struct is_message : std::false_type {};

/// Whether a type is a service.
template<typename T>
struct is_service : std::false_type {};

/// Whether a type is the request of a service.
template<typename T>
struct is_service_request : std::false_type {};

/// Whether a type is the response of a service.
template<typename T>
struct is_service_response : std::false_type {};

/// Whether a type is an action.
template<typename T>
struct is_action : std::false_type {};

/// Whether a type is the goal of an action.
template<typename T>
struct is_action_goal : std::false_type {};

/// Whether a type is the result of an action.
template<typename T>
struct is_action_result : std::false_type {};

/// Whether a type is the feedback of an action.
template<typename T>
struct is_action_feedback : std::false_type {};

}  // namespace rosidl_generator_traits

#endif  // ROSIDL_RUNTIME_CPP__TRAITS_HPP_
