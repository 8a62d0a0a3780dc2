// The older name of tf2_ros/async_buffer_interface.hpp.
#ifndef TF2_ROS_ASYNC_BUFFER_INTERFACE_H_
#define TF2_ROS_ASYNC_BUFFER_INTERFACE_H_

#include "tf2_ros/async_buffer_interface.hpp"

#endif
