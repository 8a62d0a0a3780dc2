// The older name of tf2_ros/create_timer_ros.hpp.
#ifndef TF2_ROS_CREATE_TIMER_ROS_H_
#define TF2_ROS_CREATE_TIMER_ROS_H_

#include "tf2_ros/create_timer_ros.hpp"

#endif
