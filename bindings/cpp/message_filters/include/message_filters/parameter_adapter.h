// The name that packages of ROS 2 Jazzy and earlier include.
#ifndef MESSAGE_FILTERS_PARAMETER_ADAPTER_H_
#define MESSAGE_FILTERS_PARAMETER_ADAPTER_H_

#include "message_filters/parameter_adapter.hpp"

#endif
