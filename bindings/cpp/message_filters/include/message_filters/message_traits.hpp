// The header of messages.
#ifndef MESSAGE_FILTERS_MESSAGE_TRAITS_HPP_
#define MESSAGE_FILTERS_MESSAGE_TRAITS_HPP_

#include <string>
#include <type_traits>
#include <utility>

#include <rclcpp/time.hpp>
#include <std_msgs/msg/header.hpp>

namespace message_filters
{
namespace message_traits
{

/// Whether messages have the field `header` of the type `std_msgs/msg/Header`.
template<typename M, typename = void>
struct HasHeader : std::false_type
{
};

// It does not exist for headers of other types, so that programs may specialise HasHeader for them.
template<typename M>
struct HasHeader<M, std::enable_if_t<std::is_same_v<
    std_msgs::msg::Header, std::decay_t<decltype(std::declval<M &>().header)>>>>: std::true_type
{
};

/// The frame of a message; programs may specialise it for their own types.
template<typename M, typename Enable = void>
struct FrameId
{
  /// Returns null: messages without a header have no frame.
  static std::string * pointer(M &)
  {
    return nullptr;
  }
  static const std::string * pointer(const M &)
  {
    return nullptr;
  }
};

template<typename M>
struct FrameId<M, std::enable_if_t<HasHeader<M>::value>>
{
  static std::string * pointer(M & message)
  {
    return &message.header.frame_id;
  }
  static const std::string * pointer(const M & message)
  {
    return &message.header.frame_id;
  }
  static std::string value(const M & message)
  {
    return message.header.frame_id;
  }
};

/// The stamp of a message; programs may specialise it for their own types.
template<typename M, typename Enable = void>
struct TimeStamp
{
  /// Returns 0: messages without a header have no stamp.
  static rclcpp::Time value(const M &)
  {
    return rclcpp::Time(0, 0, RCL_ROS_TIME);
  }
};

template<typename M>
struct TimeStamp<M, std::enable_if_t<HasHeader<M>::value>>
{
  static rclcpp::Time value(const M & message)
  {
    return rclcpp::Time(message.header.stamp, RCL_ROS_TIME);
  }
};

}  // namespace message_traits
}  // namespace message_filters

#endif
