// The name that packages of ROS 2 Jazzy and earlier include.
#ifndef MESSAGE_FILTERS_TIME_SYNCHRONIZER_H_
#define MESSAGE_FILTERS_TIME_SYNCHRONIZER_H_

#include "message_filters/time_synchronizer.hpp"

#endif
