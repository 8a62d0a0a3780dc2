// The name that this header had before ROS 2 Humble.
#ifndef TF2_SENSOR_MSGS_TF2_SENSOR_MSGS_H_
#define TF2_SENSOR_MSGS_TF2_SENSOR_MSGS_H_

#include "tf2_sensor_msgs/tf2_sensor_msgs.hpp"

#endif  // TF2_SENSOR_MSGS_TF2_SENSOR_MSGS_H_
