#ifndef RCLCPP_ACTION__ACTION_SUPPORT_HPP_
#define RCLCPP_ACTION__ACTION_SUPPORT_HPP_

#include <memory>

#include "rosidl_typesupport_cpp/message_type_support.hpp"
#include "rosidl_typesupport_cpp/service_type_support.hpp"

namespace rclcpp_action::detail
{

/// The type support of the messages of an action.
struct ActionSupport
{
  const rosidl_service_type_support_t * send_goal;
  const rosidl_service_type_support_t * get_result;
  const rosidl_message_type_support_t * feedback;

  template<typename ActionT>
  static ActionSupport of()
  {
    using Impl = typename ActionT::Impl;
    return {
      rosidl_typesupport_cpp::get_service_type_support_handle<typename Impl::SendGoalService>(),
      rosidl_typesupport_cpp::get_service_type_support_handle<typename Impl::GetResultService>(),
      rosidl_typesupport_cpp::get_message_type_support_handle<typename Impl::FeedbackMessage>()};
  }
};

}  // namespace rclcpp_action::detail

#endif  // RCLCPP_ACTION__ACTION_SUPPORT_HPP_
