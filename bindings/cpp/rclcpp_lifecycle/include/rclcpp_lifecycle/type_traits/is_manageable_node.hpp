#ifndef RCLCPP_LIFECYCLE__TYPE_TRAITS__IS_MANAGEABLE_NODE_HPP_
#define RCLCPP_LIFECYCLE__TYPE_TRAITS__IS_MANAGEABLE_NODE_HPP_

#include <type_traits>
#include <utility>

namespace rclcpp_lifecycle
{

template<class T, typename = void>
struct has_on_activate : std::false_type {};
template<class T>
struct has_on_activate<T, std::void_t<decltype(std::declval<T &>().on_activate())>>: std::true_type {};

template<class T, typename = void>
struct has_on_deactivate : std::false_type {};
template<class T>
struct has_on_deactivate<T, std::void_t<decltype(std::declval<T &>().on_deactivate())>>: std::true_type {};

/// Whether a type has the functions of a managed entity.
template<class T>
struct is_manageable_node : std::bool_constant<has_on_activate<T>::value && has_on_deactivate<T>::value> {};

}  // namespace rclcpp_lifecycle

#endif  // RCLCPP_LIFECYCLE__TYPE_TRAITS__IS_MANAGEABLE_NODE_HPP_
