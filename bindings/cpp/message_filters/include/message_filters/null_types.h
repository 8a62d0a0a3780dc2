// The name that packages of ROS 2 Jazzy and earlier include.
#ifndef MESSAGE_FILTERS_NULL_TYPES_H_
#define MESSAGE_FILTERS_NULL_TYPES_H_

#include "message_filters/null_types.hpp"

#endif
