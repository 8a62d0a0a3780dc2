// Types that stand for an input that does not exist.
#ifndef MESSAGE_FILTERS_NULL_TYPES_HPP_
#define MESSAGE_FILTERS_NULL_TYPES_HPP_

#include <functional>
#include <memory>

#include <rclcpp/time.hpp>

#include "message_filters/connection.hpp"
#include "message_filters/message_traits.hpp"

namespace message_filters
{

/// The message type of an input that does not exist.
struct NullType
{
};

typedef std::shared_ptr<NullType const> NullTypeConstPtr;

/// A filter that has no messages.
template<class M>
struct NullFilter
{
  /// Does nothing.
  template<typename C>
  Connection registerCallback(const C &)
  {
    return Connection();
  }

  /// Does nothing.
  template<typename P>
  Connection registerCallback(const std::function<void (P)> &)
  {
    return Connection();
  }
};

namespace message_traits
{

template<>
struct TimeStamp<NullType>
{
  static rclcpp::Time value(const NullType &)
  {
    return rclcpp::Time(0, 0, RCL_ROS_TIME);
  }
};

}  // namespace message_traits
}  // namespace message_filters

#endif
