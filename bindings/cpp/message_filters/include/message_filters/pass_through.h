// The name that packages of ROS 2 Jazzy and earlier include.
#ifndef MESSAGE_FILTERS_PASS_THROUGH_H_
#define MESSAGE_FILTERS_PASS_THROUGH_H_

#include "message_filters/pass_through.hpp"

#endif
