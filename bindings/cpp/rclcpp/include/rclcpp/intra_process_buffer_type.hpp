#ifndef RCLCPP__INTRA_PROCESS_BUFFER_TYPE_HPP_
#define RCLCPP__INTRA_PROCESS_BUFFER_TYPE_HPP_

#include "rclcpp/intra_process_setting.hpp"

#endif  // RCLCPP__INTRA_PROCESS_BUFFER_TYPE_HPP_
