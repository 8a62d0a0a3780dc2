#ifndef RCLCPP__TYPE_ADAPTER_HPP_
#define RCLCPP__TYPE_ADAPTER_HPP_

#include <type_traits>

namespace rclcpp
{

/// Lets nodes publish and receive a type of their own, which is sent as a message.
/**
 * A specialization has `is_specialized` (std::true_type), `custom_type`, `ros_message_type`, and the static functions
 * `convert_to_ros_message(const custom_type &, ros_message_type &)` and `convert_to_custom(const ros_message_type &, custom_type &)`.
 */
template<typename CustomType, typename ROSMessageType = void, class Enable = void>
struct TypeAdapter
{
  using is_specialized = std::false_type;
  using custom_type = CustomType;
  // A message stands for itself.
  using ros_message_type = CustomType;
};

template<typename T>
struct is_type_adapter : std::false_type {};

template<typename ... Ts>
struct is_type_adapter<TypeAdapter<Ts...>>: std::true_type {};

/// An adapter of an adapter is the adapter itself.
template<typename T>
struct TypeAdapter<T, void, std::enable_if_t<is_type_adapter<T>::value>>: T {};

namespace detail
{

template<typename CustomType, typename ROSMessageType>
struct assert_type_pair_is_specialized_type_adapter
{
  using type_adapter = TypeAdapter<CustomType, ROSMessageType>;
  static_assert(type_adapter::is_specialized::value, "No type adapter for this custom type/ros message type pair");
};

}  // namespace detail

/// Names the adapter of a pair of types: `adapt_type<Custom>::as<Message>`.
template<typename CustomType>
struct adapt_type
{
  template<typename ROSMessageType>
  using as = typename detail::assert_type_pair_is_specialized_type_adapter<CustomType, ROSMessageType>::type_adapter;
};

template<typename CustomType>
struct ImplicitTypeAdapter
{
  using is_specialized = std::false_type;
};

/// A type that stands for a message without being named with it.
template<typename T>
struct TypeAdapter<T, void, std::enable_if_t<ImplicitTypeAdapter<T>::is_specialized::value>>
  : ImplicitTypeAdapter<T> {};

/// Lets a type be used in place of a message everywhere. Use it outside of namespaces.
#define RCLCPP_USING_CUSTOM_TYPE_AS_ROS_MESSAGE_TYPE(CUSTOM_TYPE, ROS_MESSAGE_TYPE) \
  template<> \
  struct rclcpp::ImplicitTypeAdapter<CUSTOM_TYPE> : public rclcpp::TypeAdapter<CUSTOM_TYPE, ROS_MESSAGE_TYPE> \
  { \
    static_assert(is_specialized::value, "Cannot use custom type as ros type when there is no TypeAdapter for that pair"); \
  }

}  // namespace rclcpp

#endif  // RCLCPP__TYPE_ADAPTER_HPP_
