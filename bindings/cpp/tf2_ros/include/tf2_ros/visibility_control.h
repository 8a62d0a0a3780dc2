// The older name of tf2_ros/visibility_control.hpp.
#ifndef TF2_ROS_VISIBILITY_CONTROL_H_
#define TF2_ROS_VISIBILITY_CONTROL_H_

#include "tf2_ros/visibility_control.hpp"

#endif
