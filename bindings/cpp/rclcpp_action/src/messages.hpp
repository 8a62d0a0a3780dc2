// How messages of actions are written and read.
#ifndef MESSAGES_HPP_
#define MESSAGES_HPP_

#include <string>

#include "libsaltus.hpp"
#include "libsaltus_qos.hpp"
#include "rclcpp_action/action_support.hpp"
#include "rclcpp_action/types.hpp"

namespace rclcpp_action::detail
{

/// Returns the bytes of a message.
/// \throws rclcpp::exceptions::RCLError if a text exceeds its bound
inline rclcpp::detail::Bytes bytes_of(const rosidl_message_type_support_t * handle, const void * message, const char * what)
{
  return rclcpp::detail::Bytes(rclcpp::detail::support_of(handle), message, what);
}

/// Returns the support of the request or of the response of a service.
inline const rosidl_message_type_support_t * request_of(const rosidl_service_type_support_t * service)
{
  return rclcpp::detail::support_of(service).request;
}
inline const rosidl_message_type_support_t * response_of(const rosidl_service_type_support_t * service)
{
  return rclcpp::detail::support_of(service).response;
}

inline saltus_goal_id_t to_saltus(const GoalUUID & id)
{
  saltus_goal_id_t result;
  std::copy(id.begin(), id.end(), result.bytes);
  return result;
}

inline GoalUUID to_uuid(const saltus_goal_id_t & id)
{
  GoalUUID result;
  std::copy(std::begin(id.bytes), std::end(id.bytes), result.begin());
  return result;
}

/// The types and the profiles of the options of an action. The options point to them.
struct Options
{
  template<typename RclOptions>
  Options(const std::string & action_name, const ActionSupport & support, const RclOptions & options,
    const rclcpp::CallbackGroup::SharedPtr & group)
  : action(action_name),
    send_goal(rclcpp::detail::type_of(rclcpp::detail::support_of(support.send_goal))),
    get_result(rclcpp::detail::type_of(rclcpp::detail::support_of(support.get_result))),
    feedback(rclcpp::detail::type_of(rclcpp::detail::support_of(support.feedback))),
    send_goal_qos(rclcpp::detail::to_saltus(options.goal_service_qos)),
    get_result_qos(rclcpp::detail::to_saltus(options.result_service_qos)),
    cancel_goal_qos(rclcpp::detail::to_saltus(options.cancel_service_qos)),
    feedback_qos(rclcpp::detail::to_saltus(options.feedback_topic_qos)),
    status_qos(rclcpp::detail::to_saltus(options.status_topic_qos))
  {
    saltus_action_options_init(&all, sizeof all);
    all.action = action.c_str();
    all.send_goal = &send_goal;
    all.get_result = &get_result;
    all.feedback = &feedback;
    all.group = group ? group->get_saltus_group() : nullptr;
    all.send_goal_qos = &send_goal_qos;
    all.get_result_qos = &get_result_qos;
    all.cancel_goal_qos = &cancel_goal_qos;
    all.feedback_qos = &feedback_qos;
    all.status_qos = &status_qos;
  }
  Options(const Options &) = delete;
  Options & operator=(const Options &) = delete;

  std::string action;
  saltus_type_t send_goal;
  saltus_type_t get_result;
  saltus_type_t feedback;
  saltus_qos_t send_goal_qos;
  saltus_qos_t get_result_qos;
  saltus_qos_t cancel_goal_qos;
  saltus_qos_t feedback_qos;
  saltus_qos_t status_qos;
  saltus_action_options_t all;
};

}  // namespace rclcpp_action::detail

#endif  // MESSAGES_HPP_
