// The name that packages of ROS 2 Jazzy and earlier include.
#ifndef MESSAGE_FILTERS_VISIBILITY_CONTROL_H_
#define MESSAGE_FILTERS_VISIBILITY_CONTROL_H_

#include "message_filters/visibility_control.hpp"

#endif
