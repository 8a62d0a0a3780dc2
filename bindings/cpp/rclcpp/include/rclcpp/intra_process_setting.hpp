#ifndef RCLCPP__INTRA_PROCESS_SETTING_HPP_
#define RCLCPP__INTRA_PROCESS_SETTING_HPP_

namespace rclcpp
{

/// Whether an endpoint exchanges messages with others of its process as pointers.
/**
 * It does if both have this setting, keep the last messages, are volatile, and have no deadline, lifespan, lease, or callback for
 * matched endpoints or liveliness. Otherwise their messages pass through shared memory, as those between processes do.
 */
enum class IntraProcessSetting
{
  Enable,
  Disable,
  NodeDefault,
};

/// What a queue within a process holds. It has no effect: a message is copied only if the callbacks need that.
enum class IntraProcessBufferType
{
  SharedPtr,
  UniquePtr,
  CallbackDefault,
};

}  // namespace rclcpp

#endif  // RCLCPP__INTRA_PROCESS_SETTING_HPP_
