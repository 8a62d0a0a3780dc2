// The name that packages of ROS 2 Jazzy and earlier include.
#ifndef MESSAGE_FILTERS_SYNC_POLICIES_APPROXIMATE_TIME_H_
#define MESSAGE_FILTERS_SYNC_POLICIES_APPROXIMATE_TIME_H_

#include "message_filters/sync_policies/approximate_time.hpp"

#endif
