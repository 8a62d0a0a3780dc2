#ifndef RMW_EVENT_CALLBACK_TYPE_H_
#define RMW_EVENT_CALLBACK_TYPE_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Is called when `number_of_events` messages, requests, responses or events have arrived. */
typedef void (* rmw_event_callback_t)(const void * user_data, size_t number_of_events);

#ifdef __cplusplus
}
#endif

#endif
