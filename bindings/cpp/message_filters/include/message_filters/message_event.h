// The name that packages of ROS 2 Jazzy and earlier include.
#ifndef MESSAGE_FILTERS_MESSAGE_EVENT_H_
#define MESSAGE_FILTERS_MESSAGE_EVENT_H_

#include "message_filters/message_event.hpp"

#endif
