// The name that packages of ROS 2 Jazzy and earlier include.
#ifndef MESSAGE_FILTERS_DELTA_FILTER_H_
#define MESSAGE_FILTERS_DELTA_FILTER_H_

#include "message_filters/delta_filter.hpp"

#endif
