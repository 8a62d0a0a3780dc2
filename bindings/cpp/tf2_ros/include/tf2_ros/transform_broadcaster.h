// The older name of tf2_ros/transform_broadcaster.hpp.
#ifndef TF2_ROS_TRANSFORM_BROADCASTER_H_
#define TF2_ROS_TRANSFORM_BROADCASTER_H_

#include "tf2_ros/transform_broadcaster.hpp"

#endif
