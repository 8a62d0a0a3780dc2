// The older name of tf2_ros/create_timer_interface.hpp.
#ifndef TF2_ROS_CREATE_TIMER_INTERFACE_H_
#define TF2_ROS_CREATE_TIMER_INTERFACE_H_

#include "tf2_ros/create_timer_interface.hpp"

#endif
