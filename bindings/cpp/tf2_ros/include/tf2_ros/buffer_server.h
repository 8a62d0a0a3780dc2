// The older name of tf2_ros/buffer_server.hpp.
#ifndef TF2_ROS_BUFFER_SERVER_H_
#define TF2_ROS_BUFFER_SERVER_H_

#include "tf2_ros/buffer_server.hpp"

#endif
