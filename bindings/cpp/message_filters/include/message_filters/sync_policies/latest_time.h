// The name that packages of ROS 2 Jazzy and earlier include.
#ifndef MESSAGE_FILTERS_SYNC_POLICIES_LATEST_TIME_H_
#define MESSAGE_FILTERS_SYNC_POLICIES_LATEST_TIME_H_

#include "message_filters/sync_policies/latest_time.hpp"

#endif
