// The name that packages of ROS 2 Jazzy and earlier include.
#ifndef MESSAGE_FILTERS_SIGNAL1_H_
#define MESSAGE_FILTERS_SIGNAL1_H_

#include "message_filters/signal1.hpp"

#endif
