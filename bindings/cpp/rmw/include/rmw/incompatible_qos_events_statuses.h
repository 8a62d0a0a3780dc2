#ifndef RMW_INCOMPATIBLE_QOS_EVENTS_STATUSES_H_
#define RMW_INCOMPATIBLE_QOS_EVENTS_STATUSES_H_

#include "rmw/events_statuses/incompatible_qos.h"

#endif
