// The older name of tf2_ros/buffer.hpp.
#ifndef TF2_ROS_BUFFER_H_
#define TF2_ROS_BUFFER_H_

#include "tf2_ros/buffer.hpp"

#endif
