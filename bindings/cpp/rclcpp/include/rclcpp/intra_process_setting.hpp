#ifndef RCLCPP__INTRA_PROCESS_SETTING_HPP_
#define RCLCPP__INTRA_PROCESS_SETTING_HPP_

namespace rclcpp
{

/// Whether messages within a process take a way of their own.
/**
 * Saltus needs none: messages within a process pass through the same shared memory as others. So the setting changes nothing.
 */
enum class IntraProcessSetting
{
  Enable,
  Disable,
  NodeDefault,
};

/// What a queue within a process holds.
enum class IntraProcessBufferType
{
  SharedPtr,
  UniquePtr,
  CallbackDefault,
};

}  // namespace rclcpp

#endif  // RCLCPP__INTRA_PROCESS_SETTING_HPP_
