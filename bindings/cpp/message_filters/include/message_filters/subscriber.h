// The name that packages of ROS 2 Jazzy and earlier include.
#ifndef MESSAGE_FILTERS_SUBSCRIBER_H_
#define MESSAGE_FILTERS_SUBSCRIBER_H_

#include "message_filters/subscriber.hpp"

#endif
