// The older name of tf2_ros/transform_listener.hpp.
#ifndef TF2_ROS_TRANSFORM_LISTENER_H_
#define TF2_ROS_TRANSFORM_LISTENER_H_

#include "tf2_ros/transform_listener.hpp"

#endif
