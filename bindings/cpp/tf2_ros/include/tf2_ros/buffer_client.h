// The older name of tf2_ros/buffer_client.hpp.
#ifndef TF2_ROS_BUFFER_CLIENT_H_
#define TF2_ROS_BUFFER_CLIENT_H_

#include "tf2_ros/buffer_client.hpp"

#endif
