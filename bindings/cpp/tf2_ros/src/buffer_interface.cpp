#include "tf2_ros/buffer_interface.hpp"

namespace tf2_ros
{

namespace
{

constexpr std::int64_t NANOSECONDS = 1000000000;

/// Writes nanoseconds into a message, whose field nanosec is never negative.
template<typename Message>
Message split(std::int64_t nanoseconds)
{
  const auto seconds = nanoseconds / NANOSECONDS - (nanoseconds % NANOSECONDS < 0 ? 1 : 0);
  Message message;
  message.sec = static_cast<std::int32_t>(seconds);
  message.nanosec = static_cast<std::uint32_t>(nanoseconds - seconds * NANOSECONDS);
  return message;
}

template<typename Message>
std::chrono::nanoseconds joined(const Message & message)
{
  return std::chrono::nanoseconds(message.sec * NANOSECONDS + message.nanosec);
}

}  // namespace

builtin_interfaces::msg::Time toMsg(const tf2::TimePoint & t)
{
  return split<builtin_interfaces::msg::Time>(t.time_since_epoch().count());
}

tf2::TimePoint fromMsg(const builtin_interfaces::msg::Time & time_msg)
{
  return tf2::TimePoint(joined(time_msg));
}

builtin_interfaces::msg::Duration toMsg(const tf2::Duration & t)
{
  return split<builtin_interfaces::msg::Duration>(t.count());
}

tf2::Duration fromMsg(const builtin_interfaces::msg::Duration & duration_msg)
{
  return joined(duration_msg);
}

double timeToSec(const builtin_interfaces::msg::Time & time_msg)
{
  return time_msg.sec + time_msg.nanosec / static_cast<double>(NANOSECONDS);
}

}  // namespace tf2_ros
