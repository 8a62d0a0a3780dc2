#ifndef RCLCPP__RCLCPP_HPP_
#define RCLCPP__RCLCPP_HPP_

#include "rclcpp/detail/standard_headers.hpp"
#include "rclcpp/executors.hpp"
#include "rclcpp/expand_topic_or_service_name.hpp"
#include "rclcpp/guard_condition.hpp"
#include "rclcpp/logging.hpp"
#include "rclcpp/node.hpp"
#include "rclcpp/node_interfaces/node_interfaces.hpp"
#include "rclcpp/parameter.hpp"
#include "rclcpp/parameter_client.hpp"
#include "rclcpp/parameter_event_handler.hpp"
#include "rclcpp/rate.hpp"
#include "rclcpp/serialization.hpp"
#include "rclcpp/time.hpp"
#include "rclcpp/utilities.hpp"
#include "rclcpp/version.h"
#include "rclcpp/visibility_control.hpp"
#include "rclcpp/wait_for_message.hpp"
#include "rclcpp/wait_set.hpp"
#include "rclcpp/waitable.hpp"
#include "rmw/rmw.h"

#endif  // RCLCPP__RCLCPP_HPP_
