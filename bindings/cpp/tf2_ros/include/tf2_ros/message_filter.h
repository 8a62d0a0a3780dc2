// The older name of tf2_ros/message_filter.hpp.
#ifndef TF2_ROS_MESSAGE_FILTER_H_
#define TF2_ROS_MESSAGE_FILTER_H_

#include "tf2_ros/message_filter.hpp"

#endif
