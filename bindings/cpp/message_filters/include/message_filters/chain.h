// The name that packages of ROS 2 Jazzy and earlier include.
#ifndef MESSAGE_FILTERS_CHAIN_H_
#define MESSAGE_FILTERS_CHAIN_H_

#include "message_filters/chain.hpp"

#endif
