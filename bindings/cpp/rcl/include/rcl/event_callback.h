#ifndef RCL_EVENT_CALLBACK_H_
#define RCL_EVENT_CALLBACK_H_

#include "rmw/event_callback_type.h"

/** Is called when messages, requests, responses or events have arrived. */
typedef rmw_event_callback_t rcl_event_callback_t;

#endif
