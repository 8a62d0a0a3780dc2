// The name that packages of ROS 2 Jazzy and earlier include.
#ifndef MESSAGE_FILTERS_INPUT_ALIGNER_H_
#define MESSAGE_FILTERS_INPUT_ALIGNER_H_

#include "message_filters/input_aligner.hpp"

#endif
