// The name that packages of ROS 2 Jazzy and earlier include.
#ifndef MESSAGE_FILTERS_TIME_SEQUENCER_H_
#define MESSAGE_FILTERS_TIME_SEQUENCER_H_

#include "message_filters/time_sequencer.hpp"

#endif
