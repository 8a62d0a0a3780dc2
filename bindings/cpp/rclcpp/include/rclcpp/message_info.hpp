#ifndef RCLCPP__MESSAGE_INFO_HPP_
#define RCLCPP__MESSAGE_INFO_HPP_

#include "rclcpp/visibility_control.hpp"
#include "rmw/types.h"

namespace rclcpp
{

/// What is known of a message besides its content.
class RCLCPP_PUBLIC MessageInfo
{
public:
  MessageInfo() = default;
  explicit MessageInfo(const rmw_message_info_t & rmw_message_info)  // NOLINT
  : rmw_message_info_(rmw_message_info) {}
  virtual ~MessageInfo() = default;

  const rmw_message_info_t & get_rmw_message_info() const {return rmw_message_info_;}
  rmw_message_info_t & get_rmw_message_info() {return rmw_message_info_;}

private:
  rmw_message_info_t rmw_message_info_{};
};

}  // namespace rclcpp

#endif  // RCLCPP__MESSAGE_INFO_HPP_
